internal import XMLStreaming
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// The contact list of an account as a cache stores it.
struct RosterCache: XMLPayload {
    static let name = XMLName("roster", "https://hongyan.example/cache")

    var account: JID
    var list: RosterQuery

    init(account: JID, list: RosterQuery) {
        self.account = account
        self.list = list
    }

    /// The list of an account; `nil` if the cache has none with a version, or that of another account.
    static func load(_ cache: (any CacheStorage)?, for account: JID?) async -> RosterQuery? {
        guard let element = await cache?.load(), let stored = try? RosterCache(from: element),
            stored.account == account?.bare, stored.list.version?.isEmpty == false
        else { return nil }
        return stored.list
    }

    init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        account = try element.requiredAddress("account")
        list = try RosterQuery(from: try element.required(RosterQuery.name))
    }

    func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("account", account.description)
        list.encode(to: &writer, asStored: true)
        writer.end()
    }
}
