internal import Roster

/// The contact of a session; ``ChatStore`` has one of that name, too.
typealias RosterContact = Contact
