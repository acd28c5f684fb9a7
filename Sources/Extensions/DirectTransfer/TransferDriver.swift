internal import Cryptography
internal import MessagePayloads
internal import TransportLayer
internal import Waiting
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// Performs what a ``TransferMachine`` decides: requests, connections, reading and writing.
actor TransferDriver {
    enum Command: Sendable {
        case begin(any TransferSource)
        case accept(any TransferSink)
        case end(JingleReason, TransferFailure)
        case perform([TransferAction])
        case candidateConnected(String, SocketTransport)
        case candidatesFailed
        case proxyConnected(String, SocketTransport)
        case proxyFailed
    }

    /// The bytestream inside of the XML stream that the receiver expects.
    private struct InBandReading {
        var transport: InBandTransport
        var isOpen = false
        var isClosed = false
        var sequence: UInt16 = 0
        /// Received, not written yet.
        var blocks: [[UInt8]] = []
        var byteCount = 0
    }

    nonisolated let transfer: Transfer
    private let session: Session
    private let policy: DirectTransferPolicy
    private let connections: CandidateConnections
    private var machine: TransferMachine
    private let commands: AsyncStream<Command>
    private let queue: AsyncStream<Command>.Continuation

    private var source: (any TransferSource)?
    private var sink: (any TransferSink)?
    private var reading: InBandReading?
    /// A block was received or written, or the bytestream was closed.
    private let blockChange = Signal()
    private let roomForBlocks = Broadcast()
    /// Connections by the candidate that they were made for.
    private var ownConnections: [String: SocketTransport] = [:]
    private var theirConnections: [String: SocketTransport] = [:]
    private var announcedHashes: [FileHash]
    private let hashesArrived = Signal()
    /// The deadline is another one.
    private let phaseChange = Signal()
    private var lastChange = ContinuousClock.now

    init(
        _ machine: consuming TransferMachine, peer: JID, session: Session, policy: DirectTransferPolicy,
        connections: CandidateConnections
    ) {
        (commands, queue) = AsyncStream.makeStream(of: Command.self)
        transfer = Transfer(
            id: machine.terms.sessionID, direction: machine.side == .sender ? .outgoing : .incoming, peer: peer,
            file: machine.terms.file, commands: queue)
        announcedHashes = machine.terms.file.hashes
        self.machine = machine
        self.session = session
        self.policy = policy
        self.connections = connections
    }

    nonisolated func begin(_ source: any TransferSource) { queue.yield(.begin(source)) }

    /// A step of the other side; the actions follow after the answer.
    func received(_ element: JingleElement) throws(JingleRefusal) {
        queue.yield(.perform(try machine.received(element)))
    }

    // MARK: Life

    /// Runs until the transfer has ended, or its task is cancelled.
    func run() async {
        lastChange = .now
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watch() }
            group.addTask { await self.connections.listen() }
            commands: for await command in commands {
                let actions = step(command)
                for action in actions { prepare(for: action) }
                for action in actions {
                    if case .finish(let outcome) = action {
                        finish(outcome)
                        break commands
                    }
                    await perform(action, in: &group)
                }
            }
            group.cancelAll()
            for connection in ownConnections.values { connection.abort() }
            for connection in theirConnections.values { connection.abort() }
            await connections.close()
        }
        abandon()
    }

    /// The session has ended before the transfer could run.
    func abandon() {
        for action in machine.abandon(.connectionLost) {
            if case .finish(let outcome) = action { finish(outcome) }
        }
    }

    private func step(_ command: Command) -> [TransferAction] {
        switch command {
        case .begin(let source):
            self.source = source
            return machine.begin()
        case .accept(let sink):
            guard self.sink == nil else { return [] }
            guard machine.terms.file.size ?? 0 <= policy.maximumSize else {
                return machine.end(JingleReason(.mediaError), as: .tooLarge)
            }
            self.sink = sink
            changePhase(.connecting)
            return machine.accept(
                offering: connections.offered, destination: connections.offered.isEmpty ? nil : connections.destination)
        case .end(let reason, let failure): return machine.end(reason, as: failure)
        case .perform(let actions): return actions
        case .candidateConnected(let id, let connection):
            theirConnections[id] = connection
            return machine.candidateConnected(id)
        case .candidatesFailed: return machine.candidatesFailed()
        case .proxyConnected(let id, let connection):
            ownConnections[id] = connection
            return machine.proxyActivated()
        case .proxyFailed: return machine.proxyFailed()
        }
    }

    /// What must be there before the other side learns of the first of the actions: it may open the bytestream at once.
    private func prepare(for action: TransferAction) {
        guard case .move(.inBand(let transport)) = action, machine.side == .receiver else { return }
        reading = InBandReading(transport: transport)
    }

    private func perform(_ action: TransferAction, in group: inout DiscardingTaskGroup) async {
        switch action {
        case .send(let element): await send(element)
        case .answered: changePhase(.connecting)
        case .tryCandidates(let transport):
            changePhase(.connecting)
            group.addTask { await self.tryCandidates(transport) }
        case .activate(let candidate): group.addTask { await self.activate(candidate) }
        case .move(let path):
            transfer.change { progress in
                progress.phase = .transferring
                if case .inBand = path { progress.hasOwnConnection = false } else { progress.hasOwnConnection = true }
            }
            lastChange = .now
            phaseChange.send()
            group.addTask { await self.move(on: path) }
        case .announceHashes(let hashes):
            announcedHashes += hashes
            hashesArrived.send()
        case .dropConnections:
            for connection in ownConnections.values { connection.abort() }
            for connection in theirConnections.values { connection.abort() }
            (ownConnections, theirConnections) = ([:], [:])
        case .finish: break
        }
    }

    private func send(_ element: JingleElement) async {
        do throws(ClientError) {
            _ = try await session.request(element, to: transfer.peer)
        } catch {
            switch element.action {
            // The session is over anyway, or not everybody knows the information.
            case .sessionTerminate, .sessionInfo: return
            default: queue.yield(.perform(machine.abandon(TransferFailure(error))))
            }
        }
    }

    private func finish(_ outcome: TransferOutcome) {
        transfer.change { $0.phase = .ended(outcome) }
        blockChange.send()
        roomForBlocks.send()
        hashesArrived.send()
        queue.finish()
    }

    private func changePhase(_ phase: Transfer.Progress.Phase) {
        lastChange = .now
        transfer.change { $0.phase = phase }
        phaseChange.send()
    }

    private func fail(_ reason: JingleReason.Condition, _ failure: TransferFailure) {
        queue.yield(.end(JingleReason(reason), failure))
    }

    /// Ends a transfer that stands still, is too slow or takes too long.
    private func watch() async {
        var begin: ContinuousClock.Instant?
        var window = (start: ContinuousClock.now, bytes: UInt64(0))
        while !Task.isCancelled {
            let (progress, now) = (transfer.progress, ContinuousClock.now)
            var due = lastChange
            switch progress.phase {
            case .offered: due += policy.answerTimeout
            case .connecting: due += policy.connectionTimeout
            case .transferring:
                if begin == nil { window = (now, progress.bytes) }
                let start = begin ?? now
                begin = start
                if now >= window.start + policy.idleTimeout {
                    // When all bytes are on the way, the other side may take its time for the last ones.
                    let isComplete = progress.bytes >= machine.terms.file.size ?? 0
                    let minimum = UInt64(policy.minimumRate) * UInt64(policy.idleTimeout / .seconds(1))
                    guard isComplete || progress.bytes - window.bytes >= minimum else {
                        return fail(.timeout, .timedOut)
                    }
                    window = (now, progress.bytes)
                }
                due = min(
                    due + policy.idleTimeout, window.start + policy.idleTimeout, start + policy.maximumDuration)
            case .ended: return
            }
            guard due > now else { return fail(.timeout, .timedOut) }
            await pause(until: due)
        }
    }

    /// Waits; a change of the phase changes the deadline.
    private func pause(until due: ContinuousClock.Instant) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await Task.sleep(until: due, clock: .continuous) }
            group.addTask { [phaseChange] in await phaseChange.wait() }
            await group.next()
            group.cancelAll()
        }
    }

    // MARK: Connections

    private func tryCandidates(_ transport: SOCKS5Transport) async {
        if let (id, connection) = await connections.connect(to: transport, from: transfer.peer) {
            queue.yield(.candidateConnected(id, connection))
        } else {
            queue.yield(.candidatesFailed)
        }
    }

    private func activate(_ candidate: SOCKS5Transport.Candidate) async {
        guard let connection = await connections.connectToOwnProxy(candidate) else {
            queue.yield(.proxyFailed)
            return
        }
        do throws(ClientError) {
            let request = ProxyActivation(id: connections.id, target: transfer.peer)
            _ = try await session.request(request, to: candidate.address)
            queue.yield(.proxyConnected(candidate.id, connection))
        } catch {
            connection.abort()
            queue.yield(.proxyFailed)
        }
    }

    private func connection(_ path: TransferPath) async -> SocketTransport? {
        switch path {
        case .inBand: nil
        case .theirCandidate(let id): theirConnections[id]
        case .ownCandidate(let id):
            if let known = ownConnections[id] { known } else { await connections.accepted() }
        }
    }

    // MARK: Bytes

    private func move(on path: TransferPath) async {
        do {
            switch (machine.side, path) {
            case (.sender, .inBand(let transport)): try await sendBlocks(transport)
            case (.receiver, .inBand): try await receiveBlocks()
            case (let side, _):
                guard let connection = await connection(path) else { throw TransferFailure.unreachable }
                defer { connection.abort() }
                if side == .sender {
                    try await sendBytes(connection)
                } else {
                    try await receiveBytes(connection)
                }
            }
        } catch let failure as TransferFailure {
            fail(failure == .damaged ? .generalError : .failedTransport, failure)
        } catch let error as ClientError {
            fail(.failedTransport, TransferFailure(error))
        } catch is TransportError {
            fail(.connectivityError, .incomplete)
        } catch {
            fail(.failedApplication, .storageFailed)
        }
    }

    private func moved(_ count: Int) {
        lastChange = .now
        transfer.change { $0.bytes += UInt64(count) }
    }

    private func written(_ hash: [UInt8]) {
        queue.yield(.perform(machine.bytesWritten(hashes: [FileHash(algorithm: "sha-256", value: hash)])))
    }

    private func sendBytes(_ connection: SocketTransport) async throws {
        var reader = try reader()
        if let hash = reader.hash { written(hash) }
        while let chunk = try await reader.next(upTo: TransferLimits.chunk) {
            // Before the last bytes: the receiver may confirm them before this returns.
            if let hash = reader.hash { written(hash) }
            try await connection.write(chunk)
            moved(chunk.count)
        }
        guard reader.hash != nil else { throw TransferFailure.storageFailed }
        try await connection.finishWriting()
        // The connection stays until the receiver has closed it.
        while try await !connection.read().isEmpty {}
    }

    private func reader() throws(TransferFailure) -> FileReader {
        guard let source, let size = machine.terms.file.size else { throw .storageFailed }
        return FileReader(source, size: size)
    }

    private func receiveBytes(_ connection: SocketTransport) async throws {
        var digest = makeDigest()
        var rest = machine.terms.file.size ?? 0
        while rest > 0 {
            let bytes = try await connection.read()
            guard !bytes.isEmpty else { throw TransferFailure.incomplete }
            try await take(bytes, &rest, &digest)
        }
        try await verify(digest.finish())
    }

    private func take(_ bytes: [UInt8], _ rest: inout UInt64, _ digest: inout Digest) async throws {
        guard UInt64(bytes.count) <= rest, let sink else { throw TransferFailure.damaged }
        digest.update(bytes)
        try await sink.write(bytes)
        rest -= UInt64(bytes.count)
        moved(bytes.count)
    }

    /// The function of the announced hash: the first that is known here.
    private var function: HashFunction {
        let known = machine.terms.file.hashes.lazy.compactMap { HashFunction(rawValue: $0.algorithm) }.first
        return known ?? machine.terms.file.hashAlgorithm.flatMap(HashFunction.init(rawValue:)) ?? .sha256
    }

    private func makeDigest() -> Digest { Digest(function) }

    /// The file is complete: its hash decides. One that was promised is waited for.
    private func verify(_ hash: [UInt8]) async throws {
        let algorithm = function.rawValue
        func announced() -> FileHash? { announcedHashes.first { $0.algorithm == algorithm } }
        let isPromised = machine.terms.file.hashAlgorithm != nil
        while isPromised, announced() == nil, !machine.isEnded, !Task.isCancelled { await hashesArrived.wait() }
        if let announced = announced(), announced.value != hash { throw TransferFailure.damaged }
        queue.yield(.perform(machine.bytesVerified()))
    }

    // MARK: Blocks inside of the XML stream

    private func sendBlocks(_ transport: InBandTransport) async throws {
        let size = transport.blockSize ?? TransferLimits.blockSize
        _ = try await session.request(InBandOpening(id: transport.id, blockSize: size), to: transfer.peer)
        let places = AsyncLock(limit: TransferLimits.blocksUnderWay)
        let (session, peer, id) = (session, transfer.peer, transport.id)
        var reader = try reader()
        try await withThrowingDiscardingTaskGroup { group in
            var sequence: UInt16 = 0
            if let hash = reader.hash { written(hash) }
            while let chunk = try await reader.next(upTo: Int(size)) {
                // Before the last block: the receiver may confirm it before this continues.
                if let hash = reader.hash { written(hash) }
                guard await places.enter() else { throw TransferFailure.cancelled }
                let block = InBandBlock(id: id, sequence: sequence, bytes: chunk)
                sequence &+= 1
                let isQueued = Gate()
                group.addTask {
                    defer {
                        places.leave()
                        isQueued.open()
                    }
                    _ = try await session.request(block, to: peer, whenQueued: { isQueued.open() })
                }
                // The blocks keep their order.
                await isQueued.wait()
                moved(chunk.count)
            }
            guard reader.hash != nil else { throw TransferFailure.storageFailed }
        }
        _ = try? await session.request(InBandClosing(id: id), to: peer)
    }

    private func receiveBlocks() async throws {
        var digest = makeDigest()
        var rest = machine.terms.file.size ?? 0
        while rest > 0 {
            guard let bytes = await nextBlock() else { throw TransferFailure.incomplete }
            try await take(bytes, &rest, &digest)
        }
        try await verify(digest.finish())
    }

    private func nextBlock() async -> [UInt8]? {
        while !Task.isCancelled, !machine.isEnded {
            if reading?.blocks.isEmpty == false, let bytes = reading?.blocks.removeFirst() {
                reading?.byteCount -= bytes.count
                roomForBlocks.send()
                return bytes
            }
            if reading?.isClosed ?? true { return nil }
            await blockChange.wait()
        }
        return nil
    }

    /// Whether this transfer expects that bytestream.
    func expects(_ id: String) -> Bool { reading?.transport.id == id }

    func opened(_ opening: InBandOpening) throws(StanzaError) {
        guard let reading, !reading.isOpen, !reading.isClosed else { throw StanzaError(.unexpectedRequest) }
        guard !opening.usesMessages else { throw StanzaError(.notAcceptable) }
        guard opening.blockSize <= reading.transport.blockSize ?? TransferLimits.blockSize else {
            throw StanzaError(.resourceConstraint)
        }
        self.reading?.isOpen = true
        lastChange = .now
    }

    func received(_ block: InBandBlock) async throws(StanzaError) {
        guard let reading, reading.isOpen, !reading.isClosed else { throw StanzaError(.itemNotFound) }
        guard block.sequence == reading.sequence else {
            fail(.failedTransport, .violation)
            throw StanzaError(.unexpectedRequest)
        }
        guard !block.bytes.isEmpty, block.bytes.count <= Int(reading.transport.blockSize ?? TransferLimits.blockSize)
        else {
            fail(.failedTransport, .violation)
            throw StanzaError(.badRequest)
        }
        self.reading?.sequence &+= 1
        self.reading?.blocks.append(block.bytes)
        self.reading?.byteCount += block.bytes.count
        blockChange.send()
        while let now = self.reading, now.byteCount > TransferLimits.unwrittenBytes, !machine.isEnded {
            let room = roomForBlocks.next
            await room.wait()
        }
    }

    func closed() throws(StanzaError) {
        guard let reading, reading.isOpen else { throw StanzaError(.itemNotFound) }
        self.reading?.isClosed = true
        blockChange.send()
    }
}

/// Reads a file of a known size in chunks, and hashes it on the way.
private struct FileReader: ~Copyable {
    private let source: any TransferSource
    private var digest: Digest? = Digest(.sha256)
    private var rest: UInt64
    /// The hash of the whole file, as soon as its last byte was read; `nil` for ever if it is shorter than was offered.
    private(set) var hash: [UInt8]?

    init(_ source: any TransferSource, size: UInt64) {
        self.source = source
        rest = size
        if size == 0 { end() }
    }

    private mutating func end() { hash = digest.take()?.finish() }

    /// The next bytes, at most that many; `nil` at the end.
    mutating func next(upTo count: Int) async throws -> [UInt8]? {
        guard rest > 0 else { return nil }
        let limit = min(count, Int(clamping: rest))
        let chunk = try await source.read(upTo: limit)
        guard !chunk.isEmpty, chunk.count <= limit else { return nil }
        digest?.update(chunk)
        rest -= UInt64(chunk.count)
        if rest == 0 { end() }
        return chunk
    }
}
