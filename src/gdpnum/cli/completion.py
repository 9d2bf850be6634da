"""``gdpnum completion``: what makes a shell complete commands, options and their words."""

from __future__ import annotations

from typing import Annotated

import typer

from gdpnum import _validate
from gdpnum.cli.program import epilog

EPILOG = epilog(
    "gdpnum completion bash > ~/.local/share/bash-completion/completions/gdpnum",
    "gdpnum completion zsh > ~/.zfunc/_gdpnum   # with ~/.zfunc in fpath, before compinit",
    "gdpnum completion fish > ~/.config/fish/completions/gdpnum.fish",
    note="It takes effect in a new shell.",
)

# Each asks the program itself, in the one way that all shells can read: a word a line. Where it has
# none, file names are completed.
_BASH = """\
_gdpnum() {
    local IFS=$'\\n'
    COMPREPLY=( $(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD="$COMP_CWORD" \\
                  _GDPNUM_COMPLETE=complete_bash "$1") )
}
complete -o default -F _gdpnum gdpnum
"""
_ZSH = """\
#compdef gdpnum
_gdpnum() {
    local -a found
    found=("${(@f)$(COMP_WORDS="${words[1,$CURRENT]}" COMP_CWORD=$((CURRENT - 1)) \\
                    _GDPNUM_COMPLETE=complete_bash "${words[1]}")}")
    if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
if [[ "$funcstack[1]" == _gdpnum ]]; then _gdpnum "$@"; else compdef _gdpnum gdpnum; fi
"""
_FISH = """\
function __gdpnum_words
    set -l typed (commandline -opc) (commandline -ct)
    env COMP_WORDS="$typed" COMP_CWORD=(math (count $typed) - 1) \\
        _GDPNUM_COMPLETE=complete_bash gdpnum
end
complete -c gdpnum -n 'string length -q -- (__gdpnum_words)' -f -a '(__gdpnum_words)'
"""
_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def completion(
    shell: Annotated[
        str,
        typer.Argument(help="bash, zsh or fish.", autocompletion=lambda: list(_SCRIPTS)),
    ],
) -> None:
    """Print what makes a shell complete this command."""
    typer.echo(_SCRIPTS[_validate.choice("shell", shell, tuple(_SCRIPTS))], nl=False)
