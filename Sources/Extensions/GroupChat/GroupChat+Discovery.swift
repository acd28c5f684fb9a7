public import ServiceDiscovery
public import XMPPAddress
internal import XMPPClient

extension GroupChat {
    /// The service for rooms at the own server; `nil` when it has none.
    public func service() async throws(GroupChatError) -> JID? {
        guard let discovery = session[ServiceDiscovery.self] else { return nil }
        do throws(ClientError) {
            return try await discovery.service(offering: RoomNames.entrance)?.address
        } catch {
            throw GroupChatError(error)
        }
    }

    /// The rooms of a service that do not hide (XEP-0045 §6.3).
    public func rooms(at service: JID) async throws(GroupChatError) -> [DiscoveryItems.Item] {
        do throws(ClientError) {
            return try await session.request(DiscoveryItemsRequest(), to: service).items
        } catch {
            throw GroupChatError(error)
        }
    }

    /// What a room says about itself (XEP-0045 §6.4); asked anew each time.
    public func information(of room: JID) async throws(GroupChatError) -> RoomInformation {
        do throws(ClientError) {
            return RoomInformation(try await session.request(DiscoveryInformationRequest(), to: room.bare))
        } catch {
            throw error.stanzaError?.condition == .itemNotFound
                ? GroupChatError(.notFound, "The room does not exist.", cause: error) : GroupChatError(error)
        }
    }
}
