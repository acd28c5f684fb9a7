import Foundation
import Glibc
import JSONRPC
import ProgramFixtures
import ServerFixtures
import Testing
import XMPPAddress

@testable import CommandLine

/// Kills the program that handles events, and sometimes the one that serves it: each event is handled exactly once.
///
/// `HONGYAN_EVENTS` and `HONGYAN_EVENT_KILLS` are for a long run.
@Suite("Killed readers of events", .timeLimit(.minutes(240)))
struct KilledReaderTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let isLong = environment["HONGYAN_EVENTS"] != nil
    private static let events = environment["HONGYAN_EVENTS"].flatMap { Int($0) } ?? 500
    private static let kills = environment["HONGYAN_EVENT_KILLS"].flatMap { Int($0) } ?? 10
    private static let seed = environment["HONGYAN_EVENT_SEED"].flatMap { UInt64($0) } ?? 1
    private static let senders = 4
    /// After as many kills of the reader the service is killed.
    private static let serviceInterval = 5

    @Test("the example handles each event of `hongyan serve` exactly once, although both are killed")
    func exactlyOnce() async throws {
        // The archive of a server with the usual configuration ends at 10,000 messages.
        let server = try await ServerKind.prosody13.shared(
            ServerOptions { if Self.isLong { $0.configurationLines = ["storage_archive_item_limit = 10000000"] } })
        let juliet = try await Person("juliet", onAny: server)
        var service = try await juliet.service()
        let reader = try KilledReader(of: juliet)
        // The reader exists before the first event.
        _ = try await juliet.call("events.read", ["reader": "messages"])
        let senders = try await senders(to: juliet, on: server)
        let each = Self.events / Self.senders
        let (count, start) = (each * Self.senders, ContinuousClock.now)
        let flow = EventFlow(limit: min(count / 5, 2000))
        let sending = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for sender in senders { group.addTask { try await sender.send(0..<each, flow) } }
                try await group.waitForAll()
            }
        }
        defer { sending.cancel() }

        var random = SplitMix(state: Self.seed)
        var (atLine, atMoment, ofService) = (0, 0, 0)
        for kill in 1...Self.kills {
            // All lives together have the events of the whole run; some of them end before the first one.
            let room = max(kill * count / (Self.kills + 1) - reader.handled, 1)
            let share = Double.random(in: 0..<1, using: &random)
            let line = Int.random(in: 1...KilledReader.linesOfStart + KilledReader.linesOfEvent, using: &random)
            let some = Int(share * Double(room))
            let goal = reader.handled + some
            if Bool.random(using: &random) {
                // Before a line of the program, such as the one between effect and acknowledgement.
                let program = try reader.start(endingAtLine: some * KilledReader.linesOfEvent + line)
                try await reader.wait(flow, service.errors + program.errors) { program.hasEnded }
                #expect(await program.result().status == 128 + SIGKILL, "\(program.errors)")
                atLine += 1
            } else {
                // At any moment, such as within a system call.
                let program = try reader.start()
                try await reader.wait(flow, service.errors + program.errors) { reader.handled >= goal }
                program.signal(SIGKILL)
                #expect(await program.result().status == 128 + SIGKILL, "\(program.errors)")
                atMoment += 1
            }
            guard kill.isMultiple(of: Self.serviceInterval) else { continue }
            let program = try reader.start()
            let next = reader.handled + some / 2
            try await reader.wait(flow, service.errors + program.errors) { reader.handled >= next }
            service.signal(SIGKILL)
            _ = await service.result()
            // Its connection has ended.
            _ = await program.result()
            service = try await juliet.service()
            ofService += 1
        }
        let last = try reader.start()
        try await reader.wait(flow, service.errors + last.errors) { reader.handled >= count }
        try await sending.value
        // A message that comes twice comes before this one.
        try await senders[0].send(each..<each + 1, flow)
        try await reader.wait(flow, service.errors + last.errors) { reader.handled > count }
        last.signal(SIGKILL)
        _ = await last.result()
        let seconds = Int(start.duration(to: .now) / .seconds(1))
        if Self.isLong {
            print(
                "seed \(Self.seed): \(count) events in \(seconds) s; kills: \(atLine) of the reader at a line, \(atMoment) at a moment, \(ofService) of the service"
            )
        }

        let bodies = try reader.bodies()
        for sender in senders {
            let own = bodies.filter { $0.hasPrefix("\(sender.number) ") }
            let expected = (0..<each + (sender.number == 0 ? 1 : 0)).map { "\(sender.number) \($0)" }
            let missing = Set(expected).subtracting(own)
            #expect(missing.isEmpty, "\(missing.sorted().prefix(20))")
            #expect(own.count == Set(own).count, "handled twice")
            // In a long run more than a page of the archive is missed at once, and the newest page comes first.
            guard !Self.isLong else { continue }
            #expect(own == expected, "out of order: \(zip(own, expected).filter { $0 != $1 }.prefix(20))")
        }
        #expect(bodies.count == count + 1)
        service.signal(SIGINT)
        #expect(await service.result().status == 0, "\(service.errors)")
    }

    /// New accounts, as contacts: a stranger may not have so many messages in the store.
    private func senders(to person: Person, on server: any PrivateServer) async throws -> [EventSender] {
        let receiver = try JID(person.address)
        var senders: [EventSender] = []
        for number in 0..<Self.senders {
            let account = try await server.newAccount("romeo")
            _ = try await person.call("contacts.add", ["address": .string(account.address)])
            senders.append(EventSender(number: number, account: account, server: server, receiver: receiver))
        }
        return senders
    }
}
