internal import ChatModel
internal import Localization
internal import XMPPAddress

/// What has happened with contacts between two moments, as lines for the person.
enum ContactNews {
    /// - Parameters:
    ///   - removed: contacts that the person has removed here.
    ///   - open: the contact of the open conversation, whose coming and going is told.
    static func lines(
        from old: [ContactRow], to new: [ContactRow], removed: Set<JID>, open: JID?
    ) -> [String] {
        guard old != new else { return [] }
        let now = Dictionary(new.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
        var lines: [String] = []
        for before in old where !removed.contains(before.address) {
            guard let contact = now[before.address] else {
                lines.append(localized("%@ is no longer one of your contacts.", before.address))
                continue
            }
            if contact.isSeen, !before.isSeen { lines.append(localized("%@ has accepted you.", contact.address)) }
            if before.isSeen, !contact.isSeen { lines.append(localized("%@ has removed you.", contact.address)) }
            if before.isPending, !contact.isPending, !contact.isSeen {
                lines.append(localized("%@ has refused you.", contact.address))
            }
            if contact.address == open, contact.section != before.section {
                lines.append("\(contact.name): \(contact.stateText)")
            }
        }
        return lines
    }
}

extension ContactRow {
    /// The account sees when the contact is there.
    fileprivate var isSeen: Bool { subscription == .to || subscription == .both }
}
