/// What one end of a TLS connection knows that nobody in the middle can (RFC 5056), as the `-PLUS` mechanisms use it.
public enum ChannelBinding: Sendable, Hashable {
    /// Keying material exported under the label of RFC 9266 §2: 32 bytes. The only unique binding of TLS 1.3.
    case tlsExporter([UInt8])
    /// The hash value of the server's certificate (RFC 5929 §4). It survives TLS offloading and says less.
    case tlsServerEndPoint([UInt8])
    /// The first Finished message (RFC 5929 §3). Not defined for TLS 1.3, so only TLS 1.2 may give it.
    case tlsUnique([UInt8])

    /// The kind of a binding; the raw value is its name in the IANA registry and in XEP-0440.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case tlsExporter = "tls-exporter"
        case tlsUnique = "tls-unique"
        case tlsServerEndPoint = "tls-server-end-point"
    }

    /// What kind of binding it is.
    public var kind: Kind {
        switch self {
        case .tlsExporter: .tlsExporter
        case .tlsServerEndPoint: .tlsServerEndPoint
        case .tlsUnique: .tlsUnique
        }
    }

    /// The name in the IANA registry, as it stands in the GS2 header.
    public var name: String { kind.rawValue }

    /// The binding's data, which both ends compute and neither sends in clear of the exchange.
    public var data: [UInt8] {
        switch self {
        case .tlsExporter(let data), .tlsServerEndPoint(let data), .tlsUnique(let data): data
        }
    }
}

/// What the client says about channel binding in the GS2 header (RFC 5802 §6, `gs2-cbind-flag`).
public enum GS2ChannelBinding: Sendable, Hashable {
    /// `n`: the client cannot bind, or cannot bind the way this server can.
    case unsupported
    /// `y`: the client could bind but the server offers no `-PLUS`. A server that did offer it learns by this that
    /// somebody took it off the list, and refuses.
    case notOffered
    /// `p=name`: the exchange is bound.
    case bound(ChannelBinding)

    var flag: String {
        switch self {
        case .unsupported: "n"
        case .notOffered: "y"
        case .bound(let binding): "p=\(binding.name)"
        }
    }

    var data: [UInt8] {
        switch self {
        case .unsupported, .notOffered: []
        case .bound(let binding): binding.data
        }
    }
}
