import ChatStore
import MessageFeatures
import Synchronization
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

/// End-to-end encryption for tests: what it seals stands there backwards. Like a ratchet, each key opens one message once, and the device
/// that has sealed a message cannot open it; what it remembers is in the store.
final class ReversingProtection: ContentProtection {
    static let scheme = "urn:test:reversed"
    static let sealed = XMLName("sealed", scheme)
    /// What programs without the encryption show.
    static let fallback = "This message is sealed."

    private struct State {
        /// Not stored yet.
        var provisional: [String: [UInt8]] = [:]
        var sealFailures: [JID: [ProtectionError]] = [:]
        var routes: [ReceivedRoute] = []
        var stored = 0
        var discarded = 0
    }

    let store: any LocalStore
    let account: AccountID
    let device: String
    /// Called with the text of each sealed part before it is opened.
    let willOpen: @Sendable (String) async throws(ProtectionError) -> Void
    /// The devices that it says cannot open what it seals.
    let omitted: [ProtectionError.Recipient]
    private let state = Mutex(State())

    init(
        _ device: String, store: any LocalStore, account: AccountID, omitted: [ProtectionError.Recipient] = [],
        willOpen: @escaping @Sendable (String) async throws(ProtectionError) -> Void = { _ in }
    ) {
        self.device = device
        self.omitted = omitted
        self.store = store
        self.account = account
        self.willOpen = willOpen
    }

    var routes: [ReceivedRoute] { state.withLock(\.routes) }
    var stored: Int { state.withLock(\.stored) }
    var discarded: Int { state.withLock(\.discarded) }

    /// The next attempts to seal for an address fail so.
    func failSealing(to address: JID, _ errors: [ProtectionError]) {
        state.withLock { $0.sealFailures[address] = errors }
    }

    private func nextFailure(to address: JID) -> ProtectionError? {
        state.withLock { state in
            guard let error = state.sealFailures[address]?.first else { return nil }
            state.sealFailures[address]?.removeFirst()
            return error
        }
    }

    private func remembered(_ name: String) async -> [UInt8]? {
        if let value = state.withLock({ $0.provisional[name] }) { return value }
        let account = account
        let records = try? await store.read { reader throws(StoreError) in
            try reader.protectionRecords(of: account, beginningWith: name)
        }
        return records?.first { $0.name == name }?.value
    }

    private func change(_ name: String, _ value: [UInt8]) -> ProtectionChange {
        state.withLock { $0.provisional[name] = value }
        return ProtectionChange([.init(name, value)])
    }

    func isSealed(_ message: Message) -> Bool { message.payloads.contains(Self.sealed) }

    func open(_ message: Message, by route: ReceivedRoute) async throws(ProtectionError) -> OpenedMessage {
        state.withLock { $0.routes.append(route) }
        guard let element = message.payloads.first(Self.sealed), let sender = element["device"],
            let number = element["number"]
        else { throw ProtectionError(.damaged, "No number.", scheme: Self.scheme) }
        guard sender != device else { throw ProtectionError(.otherDevice, "It is our own.", scheme: Self.scheme) }
        let inner = String(element.text.reversed())
        try await willOpen(inner)
        let key = "opened/\(sender)/\(number)"
        guard await remembered(key) == nil else {
            throw ProtectionError(.keyMissing, "The key was used.", scheme: Self.scheme)
        }
        guard let content = try? Message(from: XMLElement(parsing: inner)) else {
            throw ProtectionError(.damaged, "It is no message.", scheme: Self.scheme)
        }
        var opened = message
        opened.body = nil
        opened.payloads.removeAll(named: Self.sealed)
        for payload in content.payloads { opened.payloads.append(payload) }
        return OpenedMessage(
            opened, .encrypted(scheme: Self.scheme, device: sender, trust: .trusted), change: change(key, [1]))
    }

    func prepare(_ conversation: ConversationAddress) async throws(ProtectionError) {}

    func seal(_ message: Message, in conversation: ConversationAddress) async throws(ProtectionError) -> SealedMessage {
        if let error = nextFailure(to: conversation.address) { throw error }
        let count = (await remembered("sent")).map { Int($0[0]) + 256 * Int($0[1]) } ?? 0
        let change = change("sent", [UInt8((count + 1) % 256), UInt8((count + 1) / 256)])
        var inner = message
        inner.payloads.removeAll(where: Self.staysOutside)
        var outer = message
        outer.payloads.removeAll { !Self.staysOutside($0) }
        outer.body = Self.fallback
        let text = String(XMLElement(inner).description.reversed())
        outer.payloads.append(
            XMLElement(Self.sealed) { writer in
                writer.attribute("device", device)
                writer.attribute("number", "\(count)")
                writer.text(text)
            })
        return SealedMessage(
            outer, .encrypted(scheme: Self.scheme, device: device, trust: .verified), change: change,
            omitted: omitted)
    }

    private static func staysOutside(_ payload: XMLElement) -> Bool {
        payload.isNamed(OriginIdentifier.name) || payload.isNamed(DeliveryReceiptRequest.name)
            || payload.name.namespace == ProcessingHint.namespace
    }

    func sealing(
        _ file: ChatStore.Attachment, in conversation: ConversationAddress
    ) async throws(ProtectionError) -> FileSealing? {
        FileSealing(FlippingCipher(isSealing: true)) { $0 + Self.mark }
    }

    func opening(_ file: ChatStore.Attachment) throws(ProtectionError) -> FileOpening? {
        guard let url = file.url, url.hasSuffix(Self.mark) else { return nil }
        return FileOpening(
            FlippingCipher(isSealing: false), address: String(url.dropLast(Self.mark.count)),
            overhead: Int64(FlippingCipher.check.count))
    }

    private static let mark = "#flipped"

    func stored(_ change: ProtectionChange) async {
        state.withLock { state in
            state.stored += 1
            for record in change.records where state.provisional[record.name] == record.value {
                state.provisional[record.name] = nil
            }
        }
    }

    func discarded(_ change: ProtectionChange) async {
        state.withLock { state in
            state.discarded += 1
            for record in change.records { state.provisional[record.name] = nil }
        }
    }
}

/// Flips each bit, and puts a check value behind.
struct FlippingCipher: FileCipher {
    static let check = Array("done".utf8)

    let isSealing: Bool
    private var rest: [UInt8] = []

    init(isSealing: Bool) { self.isSealing = isSealing }

    mutating func process(_ bytes: [UInt8], isLast: Bool) throws(ProtectionError) -> [UInt8] {
        if isSealing { return bytes.map { ~$0 } + (isLast ? Self.check : []) }
        rest += bytes
        guard !isLast else {
            guard rest.suffix(Self.check.count).elementsEqual(Self.check) else {
                throw ProtectionError(.damaged, "The end is missing.")
            }
            return rest.dropLast(Self.check.count).map { ~$0 }
        }
        let ready = rest.dropLast(Self.check.count)
        rest = Array(rest.suffix(Self.check.count))
        return ready.map { ~$0 }
    }
}

/// Everything that an account has sent and received, as it is on the wire: it must be added before the account's own extensions.
final class WireLog: SessionExtension, StanzaInterceptor {
    private let lines = Mutex<[String]>([])

    var interceptors: [any StanzaInterceptor] { [self] }
    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        lines.withLock { $0.append(XMLElement(stanza).description) }
        return .pass(stanza)
    }

    func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
        lines.withLock { $0.append(XMLElement(stanza).description) }
        return .pass(stanza)
    }
}
