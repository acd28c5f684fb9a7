internal import GroupChat

/// The room of a session; ``ChatStore`` has one of that name, too.
typealias JoinedRoom = Room
