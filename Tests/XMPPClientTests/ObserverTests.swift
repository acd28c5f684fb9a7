import Testing
import TransportLayer
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient

@Suite("Observers", .timeLimit(.minutes(20)))
struct ObserverTests {
    @Test(
        "S0-19, S1-30, S1-8, S2-3, S3-17, S3-19, S3-22: any number of observers, each with all events in order, added and removed at any time"
    )
    func many() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            let count = 200
            let gone = session.events(.messages)
            var brief = session.events().makeAsyncIterator()
            // Before the first message, however loaded the machine is.
            let observers = (0..<20).map { _ in session.events(.messages) }
            async let seen: [[String]] = withTaskGroup(of: [String].self) { group in
                for events in observers {
                    group.addTask {
                        var ids: [String] = []
                        _ = await events.first { event -> Bool? in
                            if case .message(let message) = event { ids.append(message.id ?? "") }
                            return ids.count == count ? true : nil
                        }
                        return ids
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            await server.wait { _ in true }
            _ = gone
            for number in 0..<count {
                try await server.send("<message id='\(number)' from='bob@xmpp.test'/>", to: "alice")
                if number == count / 2 { _ = await brief.next() }
            }
            for ids in await seen { #expect(ids == (0..<count).map(String.init)) }
        }
    }

    @Test("an observer that was released is removed")
    func removal() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            do {
                let events = session.events()
                #expect(!session.observers.isEmpty)
                _ = events
            }
            #expect(session.observers.isEmpty)
            for await _ in session.events(.connection).prefix(0) {}
            #expect(session.observers.isEmpty)
        }
    }

    @Test("S3-20: an observer selects its kinds; cancelling its task ends the iteration")
    func kinds() async throws {
        let server = MemoryServer()
        try await Client(try server.account("alice")).run { session in
            let presences = session.events(.presences)
            try await server.send(
                "<message id='1' from='bob@xmpp.test'/><presence id='2' from='bob@xmpp.test'/>", to: "alice")
            #expect(await presences.first { $0 }?.kind == .presences)
            let task = Task {
                for await _ in presences {}
                return true
            }
            task.cancel()
            #expect(await task.value)
        }
    }

    @Test("the events end with the session, after the last of them was delivered")
    func end() async throws {
        let server = MemoryServer()
        let events = try await Client(try server.account("alice")).run { session in
            let events = session.events(.connection)
            return events
        }
        #expect(await labels(events) == ["closeRequested", "closingSent", "disconnected"])
    }

    /// Fills the buffers from the server to the client until the server has to wait.
    private func flood(_ server: MemoryServer, count: Int) async throws {
        let stanza = Array(
            "<message from='bob@xmpp.test'><body>\(String(repeating: "x", count: 100))</body></message>".utf8)
        for _ in 0..<count { try await server.writeRaw(stanza, to: "alice") }
    }

    @Test("a slow observer stops reading from the socket; when it continues everything arrives")
    func backPressure() async throws {
        let server = MemoryServer(capacity: 4096)
        let configuration = try server.account("alice") {
            $0.usesStreamManagement = false
            $0.eventLimit = 50
        }
        try await Client(configuration).run { session in
            let events = session.events(.messages)
            let total = 2000
            let flooding = Task { try await flood(server, count: total) }
            // No observer reads events: after the limit and the buffers between, the server waits.
            while !(await session.isReadingHeld) { await Task.yield() }
            var seen = 0
            var largest = 0
            for await batch in events {
                seen += batch.count
                largest = max(largest, batch.count)
                if seen == total { break }
            }
            #expect(seen == total)
            #expect(largest < 500)
            try await flooding.value
        }
    }

    @Test("an observer that waits for a response while it is behind does not wait forever")
    func requestWhileBehind() async throws {
        let server = MemoryServer(capacity: 4096)
        let configuration = try server.account("alice") {
            $0.usesStreamManagement = false
            $0.eventLimit = 10
        }
        try await Client(configuration).run { session in
            let events = session.events(.messages)
            let flooding = Task { try await flood(server, count: 500) }
            while !(await session.isReadingHeld) { await Task.yield() }
            _ = try await session.request(Ping())
            var seen = 0
            for await batch in events {
                seen += batch.count
                if seen == 500 { break }
            }
            try await flooding.value
        }
    }

    @Test("a session closes even if an observer is behind")
    func closeWhileBehind() async throws {
        let server = MemoryServer(capacity: 4096)
        let configuration = try server.account("alice") {
            $0.usesStreamManagement = false
            $0.eventLimit = 10
        }
        let events = try await Client(configuration).run { session in
            let events = session.events(.messages)
            let flooding = Task { try await flood(server, count: 100) }
            while !(await session.isReadingHeld) { await Task.yield() }
            flooding.cancel()
            return events
        }
        _ = events
    }
}

extension Session {
    /// Whether the reader waits for an observer.
    var isReadingHeld: Bool { observers.gate.isHeld }
}
