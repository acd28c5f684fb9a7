public import Blocking
public import XMPPAddress
public import XMPPClient

/// The block list of an account (XEP-0191), stored on the server.
public struct BlockingService: Sendable {
    private let context: AccountContext
    private let contacts: ContactService

    init(_ context: AccountContext, contacts: ContactService) {
        self.context = context
        self.contacts = contacts
    }

    /// Blocks an address in both directions.
    ///
    /// - Parameter report: the reason, for the operators of the server (XEP-0377); a server that takes no reports ignores it.
    public func block(_ address: JID, report: AbuseReport? = nil) async throws(ClientError) {
        guard let blocking = context.session?[Blocking.self] else { throw .notConnected }
        try await blocking.block(address, report: report)
    }

    public func unblock(_ address: JID) async throws(ClientError) {
        guard let blocking = context.session?[Blocking.self] else { throw .notConnected }
        try await blocking.unblock(address)
    }

    /// The blocked addresses, as last reported by the server.
    public var blocked: Set<JID> {
        get async { await context.session?[Blocking.self]?.blocked ?? [] }
    }

    /// Follows the block list, which other devices may change.
    func run(in session: Session) async {
        guard let blocking = session[Blocking.self] else { return }
        let events = blocking.events()
        if await blocking.isPopulated { await changed(blocking) }
        for await _ in events { await changed(blocking) }
    }

    private func changed(_ blocking: Blocking) async {
        context.events.post(.blocked)
        // A request of an address that was blocked on any device is removed.
        for request in await contacts.requests where await blocking.isBlocked(request.address) {
            await contacts.forgetRequest(of: request.address)
        }
    }
}
