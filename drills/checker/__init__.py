"""The judge: a drill's history against the exports of its games, by rules of its own and by `migrato verify`."""
