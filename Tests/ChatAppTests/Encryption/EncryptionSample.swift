import ChatEngine
import ChatModel
import ChatStore
import GTKBinding
import KeyFixtures
import WindowFixtures
import XMPPAddress

@testable import ChatApp

/// Juliet, who encrypts, with keys in memory.
@MainActor
final class EncryptionSample {
    let talk: TalkSample
    let keys: KeySketch

    init(isEnabled: Bool = true) async throws {
        talk = try await TalkSample(isEnabled: isEnabled)
        keys = KeySketch(own: talk.juliet)
        let keys = keys
        talk.context.encryption.service = { _ in keys }
        keys.list([Self.this], of: talk.juliet)
    }

    static let this = EncryptionDevice(
        device: 1_893_204_112, fingerprint: digits(1), label: "Hongyan", generations: [.current, .legacy],
        trust: .verified, isAnnounced: true, isThisDevice: true, lastSeen: .now)

    /// Digits as a hash has them.
    nonisolated static func digits(_ seed: UInt64) -> String {
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        return String(
            (0..<64).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Array("0123456789abcdef")[Int(state >> 60)]
            })
    }

    static func device(
        _ number: UInt32, _ label: String?, _ trust: DeviceTrust, days: Int64 = 0, isAnnounced: Bool = true,
        isUnused: Bool = false
    ) -> EncryptionDevice {
        EncryptionDevice(
            device: number, fingerprint: digits(UInt64(number)), label: label, generations: [.current], trust: trust,
            isAnnounced: isAnnounced, firstSeen: .now, lastSeen: MessageTime.now.advanced(by: -days * 86_400_000),
            isUnused: isUnused)
    }

    /// Romeo's devices, one of each kind.
    func romeosDevices() {
        keys.list(
            [
                Self.device(271_828, "Phone", .verified), Self.device(314_159, "Laptop", .trusted, days: 3),
                Self.device(1_618_033, nil, .undecided),
                EncryptionDevice(device: 577_215, generations: [.legacy], isAnnounced: true),
                Self.device(141_421, "Old phone", .distrusted, days: 80, isAnnounced: false, isUnused: true),
            ], of: talk.romeo)
    }

    func window() -> DevicesWindow? {
        talk.context.encryption.showDevices(of: talk.romeo, name: sampleWords("Romeo"), as: talk.account, over: nil)
    }

    func ownWindow() -> DevicesWindow? {
        talk.context.encryption.showDevices(of: talk.juliet, name: "juliet", as: talk.account, over: nil)
    }
}
