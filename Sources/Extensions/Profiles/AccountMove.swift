internal import PublishSubscribe
public import XMLStreaming
public import XMPPAddress
internal import XMPPClient
public import XMPPStanzas

/// Says that an account has moved to another address: published on the old account, and in subscription requests of the
/// new one (XEP-0283 Moved).
///
/// ```
/// <moved xmlns='urn:xmpp:moved:1'><new-jid>juliet@capulet.example</new-jid></moved>
/// ```
///
/// A request alone proves nothing: ``Profiles/confirmsMove(from:to:)`` asks the old account.
public enum AccountMove: PresencePayload, Hashable {
    /// The statement of the old account.
    case to(JID)
    /// The claim of the new account.
    case from(JID)

    public static let name = XMLName("moved", "urn:xmpp:moved:1")
    /// The node of the personal events.
    static let node = name.namespace

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        func address(_ name: XMLName) throws(XMLDecodingError) -> JID? {
            guard let text = element.firstChild(name)?.text else { return nil }
            guard let address = try? JID(text), address.isBare, address.local != nil else {
                throw XMLDecodingError(name, .invalidText)
            }
            return address
        }
        if let new = try address(Self.newName) {
            self = .to(new)
        } else if let old = try address(Self.oldName) {
            self = .from(old)
        } else {
            throw XMLDecodingError(Self.name, .missingElement(Self.newName))
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        switch self {
        case .to(let address): writer.element(Self.newName, text: address.description)
        case .from(let address): writer.element(Self.oldName, text: address.description)
        }
        writer.end()
    }

    private static let newName = XMLName("new-jid", name.namespace)
    private static let oldName = XMLName("old-jid", name.namespace)
}

extension Profiles {
    /// Publishes on the old account that it has moved (XEP-0283 §4.1). Everybody may read it.
    public func publishMove(to newAddress: JID) async throws(ProfileError) {
        guard let data = session[PublishSubscribe.self] else {
            throw ProfileError(.refused, "Profiles need the extension PublishSubscribe in the configuration.")
        }
        do throws(ClientError) {
            try await data.publish(
                AccountMove.to(newAddress.bare), id: "current", in: AccountMove.node, configuration: .publicData)
        } catch {
            throw ProfileError(error)
        }
    }

    /// Takes back what ``publishMove(to:)`` has published. Without a statement nothing changes.
    public func withdrawMove() async throws(ProfileError) {
        guard let data = session[PublishSubscribe.self] else { return }
        do throws(ClientError) {
            try await data.retract("current", from: AccountMove.node)
        } catch  where error.isItemNotFound {
            // Nothing was published.
        } catch {
            throw ProfileError(error)
        }
    }

    /// Tells contacts about the move, from the new account: each gets a subscription request (XEP-0283 §4.2).
    public func announceMove(from oldAddress: JID, to contacts: [JID]) async throws(ProfileError) {
        for contact in contacts {
            var request = Presence(type: .subscribe, to: contact.bare)
            request.append(AccountMove.from(oldAddress.bare))
            do throws(ClientError) {
                try await session.send(request)
            } catch {
                throw ProfileError(error)
            }
        }
    }

    /// Whether the old account says itself that it has moved to the new address (XEP-0283 §4.3).
    ///
    /// Call it only for an old address that is a contact with a subscription to our presence: the request tells its
    /// server that this session is online. A failed request counts as no.
    public func confirmsMove(from oldAddress: JID, to newAddress: JID) async -> Bool {
        guard let data = session[PublishSubscribe.self],
            let items = try? await data.items(of: AccountMove.node, at: oldAddress.bare, ids: ["current"]).items,
            let statement = (try? items.first?.decode(AccountMove.self)) ?? nil
        else { return false }
        return statement == .to(newAddress.bare)
    }
}
