import ChatEngine
import ChatStore
import Foundation
import JSONRPC
import UserProfile
import XMPPAddress
import XMPPClient

@testable import Automation

/// A profile with an account that never connects, and its methods.
final class AutomationFixture: Sendable {
    let folder: String
    let profile: Profile
    let store: SQLiteStore
    let account: ChatAccount
    let service: AutomationService

    static let juliet = address("juliet@capulet.example")
    static let romeo = address("romeo@montague.example")
    static let nurse = address("nurse@capulet.example")

    static func address(_ text: StaticString) -> JID {
        guard let address = try? JID("\(text)") else { preconditionFailure("\(text) is an address") }
        return address
    }

    init() async throws {
        folder = NSTemporaryDirectory() + "/hongyan-automation-\(UUID().uuidString)"
        profile = Profile(folder: folder)
        let store = try await profile.open(for: .writing)
        self.store = store
        let id = try await store.write { store throws(StoreError) in try store.addAccount(Self.juliet) }
        let media = try await profile.openMedia(of: Self.juliet)
        let account = ChatAccount(
            id, configuration: ClientConfiguration(address: Self.juliet, password: ""), store: store, media: media)
        self.account = account
        service = AutomationService(profile, store) { [account] }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var romeo: ConversationKey { ConversationKey(account: account.id, address: Self.romeo, kind: .direct) }

    func call(_ method: String, _ parameters: JSONValue = .null) async throws(JSONRPCError) -> JSONValue {
        try await service.call(method, parameters)
    }

    /// The error of a call that must fail.
    func failure(_ method: String, _ parameters: JSONValue = .null) async -> JSONRPCError? {
        do throws(JSONRPCError) {
            _ = try await call(method, parameters)
            return nil
        } catch {
            return error
        }
    }

    /// Stores a message of Romeo.
    @discardableResult
    func receive(_ body: String, id: String = UUID().uuidString, at time: MessageTime = .now) async throws -> MessageID
    {
        let key = romeo
        return try await store.write { store throws(StoreError) in
            try store.receive(Self.copy(body, id: id, at: time), in: key).id
        }
    }

    static func copy(_ body: String, id: String, at time: MessageTime = .now, from sender: JID = romeo) -> MessageCopy {
        MessageCopy(
            route: .live, sender: sender, isOutgoing: false, wireID: id, originID: id, time: time,
            content: .text(MessageText(body)))
    }
}

extension JSONValue {
    /// The numbers, texts or objects at this name in each element.
    func each(_ name: String) -> [JSONValue] { (array ?? []).map { $0[name] ?? .null } }
}
