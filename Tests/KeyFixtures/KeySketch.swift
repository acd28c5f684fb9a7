package import ChatEngine
import ChatModel
package import ChatStore
package import EndToEndEncryption
import Synchronization
package import XMPPAddress

/// Keys in memory.
package final class KeySketch: EncryptionService {
    private struct State {
        var forecast = EncryptionForecast(.encrypted, policy: .whenPossible)
        var devices: [JID: [EncryptionDevice]] = [:]
        var chosen: [EncryptionPolicy?] = []
        var removed: [UInt32] = []
        var excludesUnused = false
        var fails = false
        var observers: [AsyncStream<ChatAccountEvent>.Continuation] = []
    }

    private let state: Mutex<State>
    private let own: JID

    package init(own: JID) {
        self.own = own
        state = Mutex(State())
        list([.this], of: own)
    }

    package func show(_ forecast: EncryptionForecast) { state.withLock { $0.forecast = forecast } }
    package func list(_ devices: [EncryptionDevice], of address: JID) {
        state.withLock { $0.devices[address] = devices }
    }
    package var chosen: [EncryptionPolicy?] { state.withLock { $0.chosen } }
    package var removed: [UInt32] { state.withLock { $0.removed } }
    package var fails: Bool {
        get { state.withLock { $0.fails } }
        set { state.withLock { $0.fails = newValue } }
    }

    package func events() -> AsyncStream<ChatAccountEvent> {
        AsyncStream { continuation in state.withLock { $0.observers.append(continuation) } }
    }

    package func post(_ event: ChatAccountEvent) {
        for observer in state.withLock({ $0.observers }) { observer.yield(event) }
    }

    private func change(_ body: (inout State) -> Void) throws(ProtectionError) {
        if fails { throw ProtectionError(.unreachable, "The account is offline.", isTemporary: true) }
        state.withLock { body(&$0) }
    }

    private func change(
        _ fingerprint: String, at address: JID, _ body: (inout EncryptionDevice) -> Void
    ) throws(ProtectionError) {
        try change { state in
            guard let index = state.devices[address]?.firstIndex(where: { $0.fingerprint == fingerprint }) else {
                return
            }
            body(&state.devices[address]![index])
        }
    }

    package func forecast(for conversation: ConversationAddress) async -> EncryptionForecast {
        state.withLock { $0.forecast }
    }
    package func devices(of address: JID) async throws -> [EncryptionDevice] {
        state.withLock { $0.devices[address] ?? [] }
    }

    package func setPolicy(_ policy: EncryptionPolicy?, of conversation: ConversationAddress) async throws {
        try change { state in
            state.chosen.append(policy)
            state.forecast.policy = policy ?? .whenPossible
            state.forecast.isOwnPolicy = policy != nil
        }
    }

    package func setTrust(_ trust: DeviceTrust, of fingerprint: String, at address: JID) async throws {
        try change(fingerprint, at: address) { $0.trust = trust }
    }

    package func forget(_ fingerprint: String, at address: JID) async throws {
        try change { $0.devices[address]?.removeAll { $0.fingerprint == fingerprint } }
    }

    package func removeDevice(_ device: UInt32) async throws {
        try change { [own] state in
            state.removed.append(device)
            state.devices[own]?.removeAll { $0.device == device }
        }
    }

    package var excludesUnusedDevices: Bool { get async throws { state.withLock { $0.excludesUnused } } }

    package func setExcludesUnusedDevices(_ isExcluding: Bool) async throws {
        try change { $0.excludesUnused = isExcluding }
    }

    package func announceAgain() {}

    package func verificationLink(for address: JID) async throws -> VerificationLink? {
        guard let device = state.withLock({ $0.devices[address]?.first }), let digits = device.fingerprint else {
            return nil
        }
        return VerificationLink("xmpp:\(address)?omemo-sid-\(device.device)=\(digits)")
    }

    package func verify(with link: VerificationLink) async throws -> VerificationOutcome {
        var outcome = VerificationOutcome()
        for entry in link.entries {
            try change(entry.fingerprint.digits, at: link.account) { $0.trust = .verified }
            outcome.verified.append(entry.fingerprint.digits)
        }
        return outcome
    }
}

extension EncryptionDevice {
    /// The one that the program runs on.
    package static let this = sample(7, "0", .verified, isThisDevice: true)
    package static let phone = sample(1, "1", .trusted)
    package static let desk = sample(2, "2", .undecided)

    package static func sample(
        _ device: UInt32, _ digit: Character, _ trust: DeviceTrust, label: String? = nil, isThisDevice: Bool = false
    ) -> EncryptionDevice {
        EncryptionDevice(
            device: device, fingerprint: String(repeating: digit, count: 64), label: label, generations: [.current],
            trust: trust, isAnnounced: true, isThisDevice: isThisDevice)
    }
}
