internal import Profiles
public import XMPPAddress

/// What a contact has published about itself, as lines to show (XEP-0292, XEP-0054).
public struct ContactCard: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case name, organization, email, telephone, page, birthday, note
    }

    public struct Entry: Sendable, Hashable {
        public let kind: Kind
        public let text: String
    }

    public let entries: [Entry]

    /// What a contact can make a page show.
    private static let (countLimit, lengthLimit) = (16, 400)

    package init(_ values: [(Kind, [String?])]) {
        let all = values.flatMap { kind, texts in
            texts.compactMap { $0 }.map { text in
                let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                return Entry(kind: kind, text: String(words.prefix(Self.lengthLimit)))
            }
        }
        entries = Array(all.filter { !$0.text.isEmpty }.prefix(Self.countLimit))
    }

    init(_ card: VCard) {
        self.init([
            (.name, [card.fullName]), (.organization, [card.organization]), (.email, card.emails),
            (.telephone, card.telephones), (.page, card.urls), (.birthday, [card.birthday]), (.note, [card.note]),
        ])
    }

    init(_ card: LegacyVCard) {
        self.init([
            (.name, [card.fullName]), (.page, [card.url]), (.birthday, [card.birthday]), (.note, [card.description]),
        ])
    }
}

extension ContactService {
    /// What the contact has published about itself; `nil` if there is nothing, or no answer.
    public func card(of address: JID) async -> ContactCard? {
        guard let profiles = session?[Profiles.self] else { return nil }
        if let card = (try? await profiles.card(of: address.bare)) ?? nil {
            let shown = ContactCard(card)
            if !shown.entries.isEmpty { return shown }
        }
        guard let older = (try? await profiles.legacyCard(of: address.bare)) ?? nil else { return nil }
        let shown = ContactCard(older)
        return shown.entries.isEmpty ? nil : shown
    }
}
