import ChatStore
import EndToEndEncryption
import OMEMO
import Waiting
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import ChatEngine

/// The parts behind the façade that tests look at or drive directly.
extension OMEMOProtection {
    var address: JID { parts.context.address }
    var memory: KeyMemory { parts.context.memory }
    var ownDevice: OwnDevice { parts.context.ownDevice }
    var cryptography: any OMEMOCryptography { parts.context.cryptography }
    var seconds: Int64 { parts.context.seconds }
    var events: EventChannel<ChatAccountEvent> { parts.context.events }
    var published: Gate { parts.context.servers.published }
    var directory: (any KeyDirectory)? { parts.context.servers.directory }
    var occupants: OccupantAccounts { parts.occupants }
    var unlisted: UnlistedSenders { parts.keyTrust.unlisted }

    func connect(to directory: (any KeyDirectory)?) { parts.context.servers.connect(to: directory) }
    func load() async throws(ProtectionError) { try await parts.load() }
    func own() throws(ProtectionError) -> OwnDevice.Keys { try parts.context.own() }
    func listChanged(_ listing: DeviceListing) async { await parts.discovery.listChanged(listing) }

    func change<Result: Sendable>(
        _ body: @escaping @Sendable (inout KeyDraft) async throws(ProtectionError) -> Result
    ) async throws -> Result { try await parts.context.change(body) }

    func changeQuietly<Result: Sendable>(
        _ body: @escaping @Sendable (inout KeyDraft) async throws(ProtectionError) -> Result
    ) async throws -> Result { try await memory.change(body) }

    func copyRequest(
        to device: PeerDevice, isAllowed: Bool, _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> (element: OMEMOElement?, givenUp: [MissingMessage]) {
        try await parts.copies.copyRequest(to: device, isAllowed: isAllowed, &draft)
    }

    func copy(
        _ message: Message, in conversation: ConversationAddress, for device: PeerDevice, _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> Message? {
        try await parts.copies.copy(message, in: conversation, for: device, &draft)
    }

    func emptyMessage(
        for device: PeerDevice, _ bundle: VerifiedBundle?, _ draft: inout KeyDraft
    ) async throws(ProtectionError) -> OMEMOElement? {
        try await parts.repair.emptyMessage(for: device, bundle, &draft)
    }

    func renew(
        _ keys: inout OwnKeys, after lastPreKey: UInt32, _ lastSignedKey: UInt32, _ draft: inout KeyDraft
    ) async throws(ProtectionError) {
        try await parts.repair.renew(&keys, after: lastPreKey, lastSignedKey, &draft)
    }
}
