import OMEMO
import XMLStreaming

/// Feeds arbitrary octets to the decoders of OMEMO, and stops on the first broken promise.
///
/// The first octet chooses the decoder. What is accepted is written as something that is read as the same value; a message
/// that a session refuses does not change the session.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOMEMO(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let octets = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = octets.first else { return 0 }
    let input = Array(octets.dropFirst())
    let generation: OMEMOGeneration = choice & 1 == 0 ? .current : .legacy
    switch choice >> 1 & 7 {
    case 0:
        guard let message = try? RatchetMessage(input, generation: generation) else { break }
        let again = try? RatchetMessage(message.bytes, generation: generation)
        precondition(again == message, "A message changed its meaning.")
    case 1:
        guard let exchange = try? KeyExchangeMessage(input, generation: generation) else { break }
        let again = try? KeyExchangeMessage(exchange.bytes, generation: generation)
        precondition(again == exchange, "A key exchange changed its meaning.")
    case 2:
        guard let session = try? OMEMOSession(serialized: input) else { break }
        let written = session.serialized
        guard let again = try? OMEMOSession(serialized: written) else { preconditionFailure("A session is refused.") }
        precondition(again.serialized == written, "A session changed.")
    case 3: receive(input, generation)
    case 4:
        guard let element = try? XMLElement(parsing: input) else { break }
        check(element)
    case 5:
        guard let envelope = try? Envelope(decrypted: input) else { break }
        guard let bytes = try? envelope.padded(using: ToyCryptography()), var again = try? Envelope(decrypted: bytes)
        else { preconditionFailure("An envelope is refused.") }
        again.padding = envelope.padding
        precondition(XMLElement(again) == XMLElement(envelope), "An envelope changed its meaning.")
    case 6:
        if let request = CopyRequest(plaintext: EncryptedPayload.emptyKey + input) {
            precondition(CopyRequest(plaintext: request.plaintext) == request, "A request changed its meaning.")
        }
        guard let link = EncryptedFileLink(String(decoding: input, as: UTF8.self)) else { break }
        precondition(EncryptedFileLink(link.text) == link, "A link changed its meaning.")
    default:
        guard let key = try? IncomingKey(input, isKeyExchange: true, generation: generation),
            case .keyExchange(let exchange) = key, let parties = try? Parties(generation)
        else { break }
        _ = try? parties.accept(exchange).plaintext
    }
    return 0
}

private func check(_ element: XMLElement) {
    if let list = try? OMEMODeviceList(from: element) {
        precondition((try? OMEMODeviceList(from: XMLElement(list))) == list, "A device list changed its meaning.")
        precondition(list.devices.count <= OMEMOLimits.devices)
    }
    if let bundle = try? OMEMOBundle(from: element) {
        precondition((try? OMEMOBundle(from: XMLElement(bundle))) == bundle, "A bundle changed its meaning.")
        _ = try? bundle.verified(using: ToyCryptography())
    }
    if let message = try? OMEMOElement(from: element) {
        precondition((try? OMEMOElement(from: XMLElement(message))) == message, "A message changed its meaning.")
        for key in message.keys { _ = try? message.read(key) }
    }
}

/// Delivers the input, in pieces of a length each, to a session; pieces that are not messages are made into
/// some with the input's counters.
private func receive(_ input: [UInt8], _ generation: OMEMOGeneration) {
    guard let parties = try? Parties(generation), var session = try? OMEMOSession(serialized: parties.bob) else {
        preconditionFailure("No session.")
    }
    var rest = input[...]
    while let length = rest.popFirst() {
        let piece = Array(rest.prefix(Int(length)))
        rest = rest.dropFirst(Int(length))
        guard let message = try? RatchetMessage(piece, generation: generation) else { continue }
        let before = session.serialized
        if (try? session.messageReceived(message, now: 0, using: ToyCryptography())) == nil {
            precondition(session.serialized == before, "A refused message changed the session.")
        }
    }
    precondition(session.skippedKeyCount <= OMEMOLimits.skippedKeys)
}

/// Two devices with a session.
private struct Parties {
    let identity: IdentityKeyPair
    let signed: SignedPreKeyPair
    let preKey: PreKeyPair
    private(set) var bob: [UInt8] = []

    init(_ generation: OMEMOGeneration) throws(OMEMOError) {
        let toy = ToyCryptography()
        identity = try .random(using: toy)
        signed = SignedPreKeyPair(try .random(id: 1, using: toy), created: 0)
        preKey = try .random(id: 1, using: toy)
        let bundle = try OMEMOBundle(
            generation, identity: identity, signedPreKey: signed, preKeys: [preKey], using: toy)
        guard let device = OMEMODevice(1) else { throw OMEMOError(.invalidDevice) }
        var alice = try OMEMOSession.initiate(
            with: bundle.verified(using: toy), by: identity, device: device, using: toy)
        let first = try alice.encrypt([1], using: toy)
        bob = try OMEMOSession.accept(
            KeyExchangeMessage(first.bytes, generation: generation), by: identity, signedPreKey: signed.pair,
            preKey: preKey, now: 0, using: toy
        ).session.serialized
    }

    func accept(_ exchange: KeyExchangeMessage) throws(OMEMOError) -> OMEMODecryption {
        try OMEMOSession.accept(
            exchange, by: identity, signedPreKey: signed.pair, preKey: preKey, now: 0, using: ToyCryptography()
        ).decryption
    }
}
