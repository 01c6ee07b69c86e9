"""Groups of commands, one module each; ``workbench.cli`` puts them together."""
