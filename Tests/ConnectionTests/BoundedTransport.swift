import TransportLayer
import XMPPClient

/// A transport with exactly one TLS version, which resumes an earlier TLS session if possible.
struct BoundedTransport: Transport {
    let transport: any Transport
    let bounds: TLSBounds

    var isMessageBased: Bool { transport.isMessageBased }
    func read() async throws(TransportError) -> [UInt8] { try await transport.read() }
    func write(_ bytes: [UInt8]) async throws(TransportError) { try await transport.write(bytes) }
    func startTLS(_ configuration: TLSConfiguration) async throws(TransportError) -> NegotiatedTLS {
        let information = try await transport.startTLS(bounds.applied(to: configuration))
        bounds.note(information)
        return information
    }
    func negotiationFinished() async { await transport.negotiationFinished() }
    func finishWriting() async throws(TransportError) { try await transport.finishWriting() }
    func close() async { await transport.close() }
    func abort() { transport.abort() }
    var tlsInformation: NegotiatedTLS? { get async { await transport.tlsInformation } }
}
