internal import Blocking
public import XMPPAddress
public import XMPPClient

/// From whom an account takes nothing and to whom it shows nothing (XEP-0191). The server has the list.
public struct BlockingService: Sendable {
    private let context: AccountContext
    private let contacts: ContactService

    init(_ context: AccountContext, contacts: ContactService) {
        self.context = context
        self.contacts = contacts
    }

    /// Takes nothing from an address any more, and shows nothing to it.
    public func block(_ address: JID) async throws(ClientError) {
        guard let blocking = context.session?[Blocking.self] else { throw .notConnected }
        try await blocking.block(address)
    }

    public func unblock(_ address: JID) async throws(ClientError) {
        guard let blocking = context.session?[Blocking.self] else { throw .notConnected }
        try await blocking.unblock(address)
    }

    /// Whom this account takes nothing from, as far as the server has said.
    public var blocked: Set<JID> {
        get async { await context.session?[Blocking.self]?.blocked ?? [] }
    }

    /// Follows what is blocked, also by another device.
    func run(in session: Session) async {
        guard let blocking = session[Blocking.self] else { return }
        let events = blocking.events()
        if await blocking.isPopulated { await changed(blocking) }
        for await _ in events { await changed(blocking) }
    }

    private func changed(_ blocking: Blocking) async {
        context.events.post(.blocked)
        // A request of an address that was blocked, here or on another device, needs no answer any more.
        for request in await contacts.requests where await blocking.isBlocked(request.address) {
            await contacts.forgetRequest(of: request.address)
        }
    }
}
