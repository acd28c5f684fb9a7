internal import Blocking
internal import DataForms
internal import GroupChat
internal import Profiles
internal import PublishSubscribe
package import Roster
internal import XMLStreaming
package import XMPPAddress
package import XMPPClient
internal import XMPPStanzas

/// Takes what an account has on its server to another one: contacts, rooms, profile and blocked addresses, in the format of
/// XEP-0227.
///
/// Messages and keys stay. Nothing that the receiving account has is replaced.
package struct AccountTransfer: Sendable {
    /// What an import did.
    package struct Report: Sendable, Equatable {
        package var contacts = 0
        package var rooms = 0
        package var blocked = 0
        package var profile = 0
        /// The contacts, rooms, blocked addresses and parts of the profile that were there already.
        package var known = 0
        /// The names of the elements that this program does not import.
        package var unknown: [String] = []
    }

    private let session: Session
    private let own: JID
    private let roster: Roster
    private let rooms: Bookmarks
    private let blocking: Blocking
    private let profiles: Profiles
    private let data: PublishSubscribe

    /// Adds the extensions that a session needs beside ``Roster``.
    package static func prepare(_ configuration: inout ClientConfiguration) {
        configuration.add { PublishSubscribe($0) }
        configuration.add { Bookmarks($0, joinsAutomatically: false) }
        configuration.add { Blocking($0) }
        configuration.add { Profiles($0) }
    }

    /// - Parameter session: one with the extensions of ``prepare(_:)``, whose contacts are known.
    package init(_ session: Session) async throws(ClientError) {
        guard let own = await session.address?.bare, let roster = session[Roster.self],
            let rooms = session[Bookmarks.self],
            let blocking = session[Blocking.self], let profiles = session[Profiles.self],
            let data = session[PublishSubscribe.self]
        else { throw .notConnected }
        (self.session, self.own, self.roster, self.rooms) = (session, own, roster, rooms)
        (self.blocking, self.profiles, self.data) = (blocking, profiles, data)
    }

    // MARK: Export

    /// Everything of the account that can be taken along. What the server does not have or know is missing.
    package func account() async throws(ClientError) -> PortableAccounts.Account {
        var account = PortableAccounts.Account(own)
        account.setRoster(RosterQuery(items: await roster.allItems))
        if let card = try await card() { account.contents.append(XMLElement(card)) }
        for asker in await roster.requests {
            var request = Presence(type: .subscribe)
            request.from = asker
            account.contents.append(XMLElement(request))
        }
        var pages: [ItemsPage] = []
        try await fetchRooms()
        let bookmarks = await rooms.all.sorted { $0.key < $1.key }.map {
            PublishedItem(id: $0.key.description, payload: XMLElement($0.value))
        }
        if !bookmarks.isEmpty { pages.append(ItemsPage(node: Bookmark.node, items: bookmarks)) }
        for node in TransferredAccount.profileNodes {
            let items = try await items(of: node)
            if !items.isEmpty { pages.append(ItemsPage(node: node, items: items)) }
        }
        account.contents += Self.elements(pages)
        let blocked = try await blockedAddresses()
        // No element of XEP-0227; one of another namespace is allowed (§3).
        if !blocked.isEmpty { account.contents.append(XMLElement(BlockList(blocked))) }
        return account
    }

    /// The nodes with their settings, and their items (XEP-0227 §3.9).
    private static func elements(_ pages: [ItemsPage]) -> [XMLElement] {
        guard !pages.isEmpty else { return [] }
        let settings = XMLElement(TransferredAccount.nodeSettingsName) { writer in
            for page in pages {
                writer.start(XMLName("configure", TransferredAccount.nodeSettingsName.namespace))
                writer.attribute("node", page.node)
                let values = (page.node == Bookmark.node ? NodeConfiguration.privateList : .publicData).values
                let type = DataFormField(name: "FORM_TYPE", kind: .hidden, values: [settingsType])
                let fields = values.sorted { $0.key < $1.key }.map { DataFormField(name: $0.key, values: $0.value) }
                writer.write(DataForm(kind: .form, fields: [type] + fields))
                writer.end()
            }
        }
        let items = XMLElement(ItemsPage.name) { writer in
            for page in pages { if let list = XMLElement(page).firstChild { writer.write(list) } }
        }
        return [settings, items]
    }

    // MARK: Import

    /// Adds what the account does not have.
    ///
    /// Contacts whose presence the other account saw get a contact request.
    ///
    /// - Parameter oldAddress: tells them that the request comes from the user they know by this address (XEP-0283 §4.2).
    package func add(
        _ account: TransferredAccount, movedFrom oldAddress: JID?
    ) async throws(ClientError) -> Report {
        var report = Report()
        report.unknown = account.unknown
        if let card = account.card {
            if try await self.card() == nil {
                _ = try await session.request(LegacyVCardChange(card))
                report.profile += 1
            } else {
                report.known += 1
            }
        }
        if !account.blocked.isEmpty {
            let new = account.blocked.subtracting(try await blockedAddresses()).subtracting([own])
            try await blocking.block(new)
            report.blocked += new.count
            report.known += account.blocked.count - new.count
        }
        try await addRooms(account.rooms, &report)
        for page in account.profile { try await add(page, &report) }
        try await addContacts(account.contacts, oldAddress, &report)
        return report
    }

    private func addContacts(
        _ items: [RosterItem], _ oldAddress: JID?, _ report: inout Report
    ) async throws(ClientError) {
        for item in items {
            let address = item.address.bare
            guard address != own, await roster.contact(address) == nil else {
                report.known += 1
                continue
            }
            let isAsked = item.subscription.seesContact || item.isPending
            if isAsked, oldAddress == nil {
                _ = try await roster.add(address, name: item.name, groups: item.groups)
            } else {
                _ = try await session.request(
                    RosterChange(RosterItem(address: address, name: item.name, groups: item.groups)))
                if isAsked, let oldAddress {
                    do throws(ProfileError) {
                        try await profiles.announceMove(from: oldAddress, to: [address])
                    } catch {
                        throw error.cause ?? .notConnected
                    }
                }
            }
            report.contacts += 1
        }
    }

    private func addRooms(_ bookmarks: [JID: Bookmark], _ report: inout Report) async throws(ClientError) {
        guard !bookmarks.isEmpty else { return }
        try await fetchRooms()
        for (room, bookmark) in bookmarks.sorted(by: { $0.key < $1.key }) {
            if await rooms.all[room] == nil {
                try await rooms.set(bookmark, for: room)
                report.rooms += 1
            } else {
                report.known += 1
            }
        }
    }

    private func add(_ page: ItemsPage, _ report: inout Report) async throws(ClientError) {
        guard try await items(of: page.node).isEmpty else {
            report.known += 1
            return
        }
        for item in page.items {
            if let payload = item.payload { try await data.publish(payload, id: item.id, in: page.node) }
        }
        report.profile += 1
    }

    // MARK: What the server has

    private func card() async throws(ClientError) -> LegacyVCard? {
        do throws(ClientError) {
            let card = try await session.request(LegacyVCardRequest()).card
            return card == LegacyVCard() ? nil : card
        } catch  where error.stanzaError != nil {
            return nil
        }
    }

    private func items(of node: String) async throws(ClientError) -> [PublishedItem] {
        do throws(ClientError) {
            return try await data.items(of: node).items
        } catch  where error.stanzaError != nil {
            return []
        }
    }

    private func fetchRooms() async throws(ClientError) {
        do throws(ClientError) {
            try await rooms.fetch()
        } catch  where error.stanzaError != nil {
            // The server has no personal events.
        }
    }

    private func blockedAddresses() async throws(ClientError) -> Set<JID> {
        do throws(ClientError) {
            try await blocking.fetch()
        } catch  where error.stanzaError != nil {
            // The server cannot block.
        }
        return await blocking.blocked
    }

    private static let settingsType = "http://jabber.org/protocol/pubsub#node_config"
}
