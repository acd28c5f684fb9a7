import SASLMechanisms
import TransportLayer
import XMPPStream

extension XMPPStream.TLSInformation {
    /// What the transport settled, in the words of the machine.
    init(_ transport: TransportLayer.TLSInformation) {
        var bindings: [ChannelBinding] = []
        if let data = transport.tlsExporter { bindings.append(.tlsExporter(data)) }
        if let data = transport.tlsServerEndPoint { bindings.append(.tlsServerEndPoint(data)) }
        if let data = transport.tlsUnique { bindings.append(.tlsUnique(data)) }
        self.init(
            version: transport.version == .tls13 ? .tls13 : .tls12, channelBindings: bindings,
            cipherSuite: transport.cipher)
    }
}

extension TransportClosure {
    init(_ error: TransportError) {
        let kind: Kind =
            switch error.code {
            case .hostNotFound, .resolutionFailed, .serviceNotOffered: .unresolved
            case .connectionRefused, .unreachable, .timedOut, .allCandidatesFailed: .unreachable
            case .tlsFailed: .tlsFailed
            case .certificateRefused: .certificateRejected
            default: .broken
            }
        self.init(kind, detail: error.description)
    }
}
