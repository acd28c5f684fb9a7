public import ChatEngine
public import ChatStore
internal import TransportLayer
internal import XMPPClient

extension ChatHome {
    /// Fetches what the messages of an account offer, from servers that the account trusts; `nil` where its media cannot be
    /// kept.
    public func fetcher(of id: AccountID) async -> AttachmentFetcher? {
        guard let account = account(id), let media = media(of: id) else { return nil }
        let access = (try? await keeper.accesses())?.first { $0.address == account.address }
        var configuration = ClientConfiguration(address: account.address, password: "")
        (access ?? AccountAccess(address: account.address)).apply(
            to: &configuration, trusted: atWork[id]?.trustedForNow ?? [], asking: nil)
        return AttachmentFetcher(
            store: store, media: media, trust: configuration.trust,
            protection: atWork[id]?.account.protection ?? PlainContent())
    }
}
