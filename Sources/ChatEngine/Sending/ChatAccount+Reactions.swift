public import ChatStore
internal import GroupChat
public import MessageFeatures
internal import ServiceDiscovery
internal import XMPPAddress
internal import XMPPClient

extension ChatAccount {
    /// Devices of a contact that are asked: a gateway has one.
    private static let maximumDevices = 4

    /// Which reactions the room, or the contact's gateway, accepts (XEP-0444 §2.2); `nil` for all, and where it is not known.
    ///
    /// Only contacts are asked whose presence we see, and only once for each version of their program.
    public func reactionRestrictions(in key: ConversationKey) async -> ReactionRestrictions? {
        guard let session = await context.onlineSession else { return nil }
        switch key.kind {
        case .room, .occupant: return await session[GroupChat.self]?.room(key.address)?.information?.reactions
        case .direct:
            guard let discovery = session[ServiceDiscovery.self] else { return nil }
            let devices = await contacts.presences[key.address]?.devices ?? []
            for device in devices.prefix(Self.maximumDevices) {
                guard let address = try? key.address.with(resource: device),
                    let information = try? await discovery.information(of: address)
                else { continue }
                if let restrictions = ReactionRestrictions(information.forms) { return restrictions }
            }
            return nil
        }
    }
}
