// Breaks the rules: lies in no room.
