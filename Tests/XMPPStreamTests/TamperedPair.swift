import ServerSide
import XMPPStream

/// A client and a server with a man in the middle who has broken TLS and changes the server's data.
struct TamperedPair: ~Copyable {
    private var client: ClientStream
    private var server: ServerStream
    private var directory: ServerDirectory
    private let serverTLS: TLSInformation
    private(set) var log: [StreamAction] = []

    init(
        _ client: ClientStreamConfiguration, _ server: ServerStreamConfiguration, directory: ServerDirectory = .verona,
        serverTLS: TLSInformation = .tls13
    ) {
        self.client = ClientStream(configuration: client)
        self.server = ServerStream(configuration: server)
        self.directory = directory
        self.serverTLS = serverTLS
    }

    var failure: StreamFailure? { log.ends.first?.failure }

    /// Runs both until neither sends anything; `change` gets the server's data of each round as text.
    mutating func run(changing change: (inout String) -> Void) {
        var pending = client.open(now: start) + client.transportConnected(now: start)
        var toServer: [UInt8] = []
        while true {
            log += pending
            var startsTLS = false
            for action in pending {
                if case .write(let bytes) = action { toServer += bytes }
                if case .startTLS = action { startsTLS = true }
            }
            if startsTLS {
                server.tlsEstablished(serverTLS)
                pending = client.tlsEstablished(.tls13, now: start)
                continue
            }
            guard !toServer.isEmpty, !client.isEnded else { return }
            var text = ""
            for action in server.bytesReceived(toServer, directory: &directory, now: start) {
                if case .write(let bytes) = action { text += String(decoding: bytes, as: UTF8.self) }
            }
            toServer = []
            change(&text)
            pending = client.bytesReceived(Array(text.utf8), now: start)
        }
    }
}
