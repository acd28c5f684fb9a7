/// Whether the account keeps an archive of its messages that every device can read (XEP-0313).
struct ArchiveHop: DiagnosisHop {
    var isOffered: Bool
    /// Whether it can be asked for what comes before or after a message that is known.
    var isExtended: Bool

    /// - Parameter features: what the account announces.
    init(accountFeatures features: Set<String>) {
        isOffered = features.contains("urn:xmpp:mam:2")
        isExtended = features.contains("urn:xmpp:mam:2#extended")
    }

    var place: DiagnosisPlace { .archive }
    var duration: Duration? { nil }
    var outcome: DiagnosisOutcome { isOffered ? .passed : .warning }

    var summary: Phrase {
        isOffered
            ? Phrase("messages are kept for all devices (urn:xmpp:mam:2)")
            : Phrase("no archive: what comes while all devices are away may reach only one")
    }

    var facts: [(String, JSONValue)] { [("offered", .bool(isOffered)), ("extended", .bool(isExtended))] }
}
