internal import Blocking
internal import GroupChat
internal import Profiles
internal import PublishSubscribe
package import Roster
package import XMLStreaming
package import XMPPAddress
internal import XMPPStanzas

/// What a file of XEP-0227 says about an account, as far as this program imports it.
///
/// It is read whole before anything is imported, and one entry that cannot be read refuses the file: without it, a contact or a
/// room would be lost, and an address that was blocked would not be blocked any more.
package struct TransferredAccount: Sendable {
    package let address: JID
    let contacts: [RosterItem]
    private(set) var rooms: [JID: Bookmark] = [:]
    private(set) var blocked: Set<JID> = []
    private(set) var card: LegacyVCard?
    /// The nodes of the profile with their items.
    private(set) var profile: [ItemsPage] = []
    /// The names of the elements and nodes that this program does not import.
    private(set) var unknown: [String] = []

    /// - Throws: the error of the first entry that cannot be read.
    package init(_ account: PortableAccounts.Account) throws(XMLDecodingError) {
        address = account.address
        contacts = try account.roster?.items ?? []
        var unknown: Set<String> = []
        for element in account.contents {
            switch element.name {
            case RosterQuery.name: break
            case LegacyVCard.name: card = try LegacyVCard(from: element)
            case BlockList.name:
                for item in element.children(BlockedItem.name) { blocked.insert(try BlockedItem(from: item).address) }
            case ItemsPage.name:
                for list in element.children(XMLName("items", ItemsPage.name.namespace)) {
                    let page = try ItemsPage(from: XMLElement(ItemsPage.name) { $0.write(list) })
                    switch page.node {
                    case Bookmark.node: try addRooms(page.items)
                    case _ where Self.profileNodes.contains(page.node): profile.append(page)
                    default: unknown.insert(page.node)
                    }
                }
            // The settings of nodes are those of this program; requests come again from those who ask.
            case Self.nodeSettingsName, Presence.name: break
            default: unknown.insert(element.localName)
            }
        }
        self.unknown = unknown.sorted()
    }

    private mutating func addRooms(_ items: [PublishedItem]) throws(XMLDecodingError) {
        let name = XMLName("item", ItemsPage.name.namespace)
        for item in items {
            guard let id = item.id else { throw XMLDecodingError(name, .missingAttribute("id")) }
            guard let room = try? JID(id), room.isBare, room.local != nil else {
                throw XMLDecodingError(name, .invalidAttribute("id", value: id))
            }
            guard let bookmark = try item.decode(Bookmark.self) else {
                throw XMLDecodingError(name, .missingElement(Bookmark.name))
            }
            rooms[room] = bookmark
        }
    }

    /// What a server stores about the nodes of an account beside their items.
    static let nodeSettingsName = XMLName("pubsub", "http://jabber.org/protocol/pubsub#owner")
    /// Who somebody is. Keys of devices are never among what is taken along: each device has its own.
    static let profileNodes = [ProfileNickname.node, VCard.node, AvatarData.node, AvatarMetadata.node]
}
