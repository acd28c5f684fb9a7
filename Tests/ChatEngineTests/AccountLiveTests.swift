import ChatEngine
import ChatFixtures
import ChatStore
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient

@Suite("Running accounts on real servers", .timeLimit(.minutes(20)))
struct AccountLiveTests {
    static let servers: [ServerKind] = [.prosody13, .ejabberd2412]

    @Test(
        "over a connection that breaks repeatedly, all messages arrive once and in order, and their states are correct")
    func badLine() async throws {
        let server = try await ServerKind.prosody13.shared()
        let proxy = try FaultProxy(to: server.port)
        let romeo = try await Person(try await server.newAccount("romeo"), on: server, port: proxy.port)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server, port: proxy.port)
        let count = 60
        // Only contacts get receipts.
        try await romeo.befriend(juliet)
        // Some messages are written before any account is connected.
        for number in 0..<5 { try await romeo.write("\(number)", to: juliet) }
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                for number in 5..<count {
                    try await romeo.write("\(number)", to: juliet)
                    try await juliet.write("\(number)", to: romeo)
                    if number % 10 == 0 { proxy.resetConnections() }
                }
                // A message from the archive can have a wrong position until the gap around it is filled.
                let isComplete: @Sendable (Int) -> @Sendable ([StoredMessage]) -> Bool = { first in
                    { messages in
                        let own = messages.filter(\.isOutgoing)
                        return own.allSatisfy { $0.state == .delivered || $0.state == .displayed }
                            && own.map(\.text.body) == (first..<count).map(String.init)
                            && messages.filter { !$0.isOutgoing }.map(\.text.body)
                                == (5 - first..<count).map(String.init)
                    }
                }
                try await romeo.wait(for: juliet, isComplete(0))
                try await juliet.wait(for: romeo, isComplete(5))
            }
        }
    }

    @Test(
        "S1-28, S1-37: a device that was offline and a new device get all messages from the archive, once",
        arguments: servers
    )
    func away(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let (first, second) = (try await server.newAccount("romeo"), try await server.newAccount("juliet"))
        let romeo = try await Person(first, on: server)
        let juliet = try await Person(second, on: server)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await romeo.write("one", to: juliet)
                try await juliet.wait(for: romeo) { $0.count == 1 }
                try await juliet.write("two", to: romeo)
                try await romeo.wait(for: juliet) { $0.count == 2 }
            }
            for number in 3...120 { try await romeo.write("\(number)", to: juliet) }
            try await romeo.wait(for: juliet) { $0.allSatisfy { !$0.isOutgoing || $0.state != .queued } }
        }
        let tablet = try await Person(second, on: server)
        let expected = ["one", "two"] + (3...120).map(String.init)
        for device in [juliet, tablet] {
            // The order equals that of the archive only after the gap is filled.
            try await device.whileRunning { try await device.wait(for: romeo) { $0.map(\.text.body) == expected } }
            let messages = try await device.timeline(with: romeo.address)
            #expect(messages.filter(\.isOutgoing).map(\.text.body) == ["two"])
        }
    }

    @Test(
        "S1-6: two devices of one account show the same messages, corrections, reactions and retractions",
        arguments: servers)
    func twoDevices(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let (first, second) = (try await server.newAccount("romeo"), try await server.newAccount("juliet"))
        let romeo = try await Person(first, on: server)
        let phone = try await Person(second, on: server)
        let tablet = try await Person(second, on: server)
        try await romeo.whileRunning {
            try await phone.whileRunning {
                try await tablet.whileRunning {
                    try await Person.waitUntilOnline([romeo, phone, tablet])
                    let written = try await phone.write("what light", to: romeo)
                    for device in [romeo, tablet] {
                        let peer = device.address == romeo.address ? phone : romeo
                        try await device.wait(for: peer) { $0.map(\.text.body) == ["what light"] }
                    }
                    let id = try #require(
                        try await phone.store.read { reader throws(StoreError) in try reader.message(written)?.originID
                        })
                    _ = try await phone.account.send(
                        .correction(of: .sent(id: id), MessageText("But soft, what light")),
                        in: phone.key(romeo.address))
                    _ = try await romeo.account.send(
                        .reactions(to: .sent(id: id), ["🌞"]), in: romeo.key(phone.address))
                    for device in [romeo, phone, tablet] {
                        let peer = device.address == romeo.address ? phone : romeo
                        try await device.wait(for: peer) {
                            $0.first?.text.body == "But soft, what light" && $0.first?.reactions.map(\.emoji) == ["🌞"]
                        }
                    }
                    _ = try await phone.account.send(.retraction(of: .sent(id: id)), in: phone.key(romeo.address))
                    for device in [romeo, phone, tablet] {
                        let peer = device.address == romeo.address ? phone : romeo
                        try await device.wait(for: peer) { $0.count == 1 && $0[0].isRetracted }
                    }
                }
            }
        }
    }

    @Test(
        "a message that the server acknowledged and lost is sent again: missing in the archive, or overtaken by a later one",
        arguments: [false, true])
    func repair(isArchived: Bool) async throws {
        let server = try await ServerKind.prosody13.shared()
        var policy = ChatAccountPolicy()
        policy.confirmationTime = .seconds(1)
        let romeo = try await Person(try await server.newAccount("romeo"), on: server, policy: policy)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await romeo.befriend(juliet)
        // This is the state after a server crash at the wrong moment: the message is marked as received by the server,
        // but it was lost.
        let (key, address) = (romeo.key(juliet.address), romeo.address)
        try await romeo.store.write { writer throws(StoreError) in
            let message = OutgoingMessage(
                sender: address, originID: "lost", time: MessageTime.now.advanced(by: -5000),
                content: .text(MessageText("lost")))
            try writer.advance(try writer.send(message, in: key), to: .sentToServer)
            guard isArchived else { return }
            let copy = MessageCopy(
                route: .archive, sender: address, isOutgoing: true, wireID: "lost", originID: "lost",
                archiveReferences: [ArchiveReference(archive: address, id: "only here")], time: message.time,
                timeSource: .archive, content: message.content)
            _ = try writer.receive(copy, in: key)
        }
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await romeo.write("kept", to: juliet)
                try await romeo.wait(for: juliet) { $0.count == 2 && $0.allSatisfy { $0.state == .delivered } }
                // If its time is known, its position is unchanged.
                try await juliet.wait(for: romeo) {
                    let bodies = $0.map(\.text.body)
                    return isArchived ? bodies == ["lost", "kept"] : bodies.sorted() == ["kept", "lost"]
                }
            }
        }
    }
}
