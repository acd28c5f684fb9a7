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

/// A fault of the line between the ends of a ``StreamPair``.
struct LineFault {
    enum Direction: CaseIterable, Sendable { case toServer, toClient }

    enum Kind {
        /// The connection breaks when so many bytes have arrived.
        case cut(after: Int)
        /// The piece with this number arrives twice; the first is 0.
        case duplicate(piece: Int)
    }

    let direction: Direction
    let kind: Kind
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
    private let fault: LineFault?
    /// What has arrived, by direction.
    private(set) var byteCounts: [LineFault.Direction: Int] = [.toServer: 0, .toClient: 0]
    private(set) var pieceCounts: [LineFault.Direction: Int] = [.toServer: 0, .toClient: 0]

    init(
        _ client: ClientStreamConfiguration = .juliet(), _ server: ServerStreamConfiguration = .example(),
        directory: ServerDirectory = .verona, delivery: Delivery = .whole, tls: TLSInformation = .tls13,
        confirmsStanzas: Bool = true, fault: LineFault? = nil
    ) {
        self.fault = fault
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
                let (bytes, isLast) = arriving(part, .toServer)
                perform(server.bytesReceived(bytes, directory: &directory, now: now))
                if isLast { cut() }
            } else if !toClient.isEmpty, !isCut {
                let part = Array(toClient.prefix(delivery.size))
                toClient.removeFirst(part.count)
                if isClientsTurn { roundTrips += 1 }
                isClientsTurn = false
                clientReceives(part)
            } else {
                return
            }
        }
    }

    private mutating func flushToClient() {
        while !toClient.isEmpty, !isCut {
            let part = Array(toClient.prefix(delivery.size))
            toClient.removeFirst(part.count)
            clientReceives(part)
        }
    }

    private mutating func clientReceives(_ part: [UInt8]) {
        let (bytes, isLast) = arriving(part, .toClient)
        perform(client.bytesReceived(bytes, now: now))
        if isLast { cut() }
    }

    /// What arrives of a piece, and whether the connection breaks after it.
    private mutating func arriving(_ piece: [UInt8], _ direction: LineFault.Direction) -> (bytes: [UInt8], isLast: Bool)
    {
        let (before, number) = (byteCounts[direction, default: 0], pieceCounts[direction, default: 0])
        byteCounts[direction] = before + piece.count
        pieceCounts[direction] = number + 1
        guard let fault, fault.direction == direction else { return (piece, false) }
        switch fault.kind {
        case .cut(let count):
            return count > before + piece.count ? (piece, false) : (Array(piece.prefix(max(0, count - before))), true)
        case .duplicate(let chosen): return (number == chosen ? piece + piece : piece, false)
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
