public import XMLStreaming
public import XMPPAddress

/// The data of accounts in the format in which servers export and import them (XEP-0227 Portable Import/Export Format
/// for XMPP-IM Servers).
///
/// ```
/// <server-data xmlns='urn:xmpp:pie:0'><host jid='capulet.com'><user name='juliet'>
///    <query xmlns='jabber:iq:roster'><item jid='romeo@montague.net' name='Romeo' subscription='both'/></query>
///    <vCard xmlns='vcard-temp'><FN>Juliet Capulet</FN></vCard></user></host></server-data>
/// ```
///
/// The contents of an account are elements; ``Account/roster`` is the contact list among them. A file can
/// contain a password or what is equivalent to it, so only its owner may read it.
public struct PortableAccounts: XMLPayload, Equatable {
    public static let name = XMLName("server-data", "urn:xmpp:pie:0")

    public struct Account: Sendable, Equatable {
        public var address: JID
        public var password: String?
        /// Contact lists, vCards, private storage, personal events, messages: each as the server stores it.
        public var contents: [XMLElement]

        public init(_ address: JID, password: String? = nil, contents: [XMLElement] = []) {
            self.address = address.bare
            self.password = password
            self.contents = contents
        }

        /// The contact list; `nil` if there is none.
        ///
        /// - Throws: the error of the first contact that cannot be read. What a server sends can be read without it, but from a
        ///   file it would be lost.
        public var roster: RosterQuery? {
            get throws(XMLDecodingError) {
                var roster: RosterQuery?
                for element in contents where element.isNamed(RosterQuery.name) {
                    var items = roster?.items ?? []
                    for item in element.children(RosterItem.name) { items.append(try RosterItem(from: item)) }
                    roster = RosterQuery(version: element["ver"], items: items)
                }
                return roster
            }
        }

        /// Replaces the contact list.
        public mutating func setRoster(_ roster: RosterQuery?) {
            contents.removeAll { $0.isNamed(RosterQuery.name) }
            guard let roster else { return }
            let items = XMLElement(RosterQuery.name) { roster.writeContent(to: &$0, asStored: true) }
            contents.insert(items, at: 0)
        }
    }

    public var accounts: [Account]

    public init(_ accounts: [Account] = []) {
        self.accounts = accounts
    }

    /// Accounts with an invalid name are skipped.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        accounts = []
        for host in element.children(Self.hostName) {
            let domain = try host.required("jid")
            for user in host.children(Self.userName) {
                guard let local = user["name"], let address = try? JID(local: local, domain: domain, resource: nil)
                else {
                    continue
                }
                accounts.append(Account(address, password: user["password"], contents: Array(user.children)))
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        for (domain, accounts) in Dictionary(grouping: accounts, by: \.address.domain).sorted(by: { $0.key < $1.key }) {
            writer.start(Self.hostName)
            writer.attribute("jid", domain)
            for account in accounts {
                writer.start(Self.userName)
                writer.attribute("name", account.address.local)
                writer.attribute("password", account.password)
                for element in account.contents { writer.write(element) }
                writer.end()
            }
            writer.end()
        }
        writer.end()
    }

    private static let hostName = XMLName("host", name.namespace)
    private static let userName = XMLName("user", name.namespace)
}
