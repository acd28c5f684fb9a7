import ServerSide
import Testing
import XMLStreaming
import XMPPStanzas
import XMPPStream

/// The sizes in which the bytes of one end reach the other.
enum Delivery: CaseIterable, Sendable, CustomTestStringConvertible {
    case whole, byteByByte, inThrees

    var size: Int {
        switch self {
        case .whole: .max
        case .byteByByte: 1
        case .inThrees: 3
        }
    }

    var testDescription: String {
        switch self {
        case .whole: "whole"
        case .byteByByte: "byte by byte"
        case .inThrees: "three bytes at a time"
        }
    }
}

/// A client and a server connected in memory: bytes are transferred, handshakes succeed, and time only passes on
/// request.
struct StreamPair: ~Copyable {
    var client: ClientStream
    var server: ServerStream
    var directory: ServerDirectory
    var now = start
    var log: [StreamAction] = []
    var serverLog: [ServerStreamAction] = []
    /// The exchanged bytes, for the message of a failed test.
    var transcript = ""

    private let delivery: Delivery
    private let tls: TLSInformation
    private let confirmsStanzas: Bool
    private var toServer: [UInt8] = []
    private var toClient: [UInt8] = []
    private var clientWantsTLS = false
    private var serverWantsTLS = false
    private var isCut = false
    /// The number of round trips of the client so far; a handshake of TLS 1.3 is one.
    private(set) var roundTrips = 0
    private var isClientsTurn = false

    init(
        _ client: ClientStreamConfiguration = .juliet(), _ server: ServerStreamConfiguration = .example(),
        directory: ServerDirectory = .verona, delivery: Delivery = .whole, tls: TLSInformation = .tls13,
        confirmsStanzas: Bool = true
    ) {
        self.client = ClientStream(configuration: client)
        self.server = ServerStream(configuration: server)
        self.directory = directory
        self.delivery = delivery
        self.tls = tls
        self.confirmsStanzas = confirmsStanzas
        perform(self.client.open(now: now))
        if case .direct(let information) = server.encryption {
            perform(self.client.transportConnected(tls: information, now: now))
        } else {
            perform(self.client.transportConnected(now: now))
        }
        run()
    }

    /// Executes actions of the client.
    mutating func perform(_ actions: [StreamAction]) {
        log += actions
        for action in actions {
            switch action {
            case .write(let bytes):
                transcript += "\nC: " + String(decoding: bytes, as: UTF8.self)
                toServer += bytes
            case .startTLS: clientWantsTLS = true
            case .closeTransport: cut()
            case .stanzas(let stanzas):
                if confirmsStanzas { perform(client.stanzasHandled(stanzas.count, now: now)) }
            case .unreadable:
                if confirmsStanzas { perform(client.stanzasHandled(1, now: now)) }
            case .progress, .readyToRegister, .resourceConflict, .tokenReceived, .tokenRejected, .established, .element,
                .acknowledged, .notSent, .tooLarge, .ended:
                break
            }
        }
    }

    /// Executes actions of the server.
    mutating func perform(_ actions: [ServerStreamAction]) {
        serverLog += actions
        for action in actions {
            switch action {
            case .write(let bytes):
                transcript += "\nS: " + String(decoding: bytes, as: UTF8.self)
                toClient += bytes
            case .startTLS: serverWantsTLS = true
            case .closeTransport:
                flushToClient()
                cut()
            case .stanzas(let stanzas):
                if confirmsStanzas { perform(server.stanzasHandled(stanzas.count)) }
            case .registered, .authenticated, .bound, .resumed, .element, .acknowledged, .ended: break
            }
        }
    }

    /// Transfers bytes until both ends wait.
    mutating func run() {
        while true {
            if clientWantsTLS, serverWantsTLS {
                clientWantsTLS = false
                serverWantsTLS = false
                roundTrips += 1
                server.tlsEstablished(tls)
                perform(client.tlsEstablished(tls, now: now))
            } else if !toServer.isEmpty, !isCut {
                let part = Array(toServer.prefix(delivery.size))
                toServer.removeFirst(part.count)
                isClientsTurn = true
                perform(server.bytesReceived(part, directory: &directory, now: now))
            } else if !toClient.isEmpty, !isCut {
                let part = Array(toClient.prefix(delivery.size))
                toClient.removeFirst(part.count)
                if isClientsTurn { roundTrips += 1 }
                isClientsTurn = false
                perform(client.bytesReceived(part, now: now))
            } else {
                return
            }
        }
    }

    private mutating func flushToClient() {
        while !toClient.isEmpty, !isCut {
            let part = Array(toClient.prefix(delivery.size))
            toClient.removeFirst(part.count)
            perform(client.bytesReceived(part, now: now))
        }
    }

    /// Ends the connection for both; bytes in transit are lost.
    mutating func cut() {
        guard !isCut else { return }
        isCut = true
        toServer = []
        toClient = []
        perform(client.transportClosed(.endOfStream, now: now))
        perform(server.transportClosed(directory: &directory))
    }

    mutating func send(_ stanza: some XMLEncodable, token: StanzaToken) {
        perform(client.send(stanza, token: token, now: now))
        run()
    }

    mutating func serverSend(_ stanza: some XMLEncodable, token: StanzaToken) {
        perform(server.send(stanza, token: token))
        run()
    }

    /// Lets time pass and fires the client's timer when it is due.
    mutating func wait(_ duration: Duration) {
        let end = now.advanced(by: duration)
        while let deadline = client.nextDeadline, deadline <= end {
            now = max(now, deadline)
            perform(client.timerFired(now: now))
            run()
        }
        now = end
    }
}
