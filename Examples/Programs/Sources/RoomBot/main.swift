// RoomBot ROOM: tells the time in a room, and comes back when it was kicked or the room restarts.
import Foundation
import Hongyan

await Client.main {
    var configuration = try ClientConfiguration.environment()
    configuration.add { ServiceDiscovery($0, identity: .init(category: "client", type: "bot", name: "Clock")) }
    configuration.add { GroupChat($0) }
    return configuration
} run: { session in
    guard let chat = session[GroupChat.self], let address = CommandLine.arguments.dropFirst().first else { return }
    let notices = chat.roomNotices()
    let visit = RoomVisit(nickname: "clock", history: RoomEntrance.History.none, isKept: true)
    let room = try await chat.enter(try JID(address), visit)
    print("inside")
    for await notice in notices {
        switch notice.event {
        case .message(let message) where message.body == "!time" && !room.isOwn(message):
            try await room.send("It is \(Date().formatted(.iso8601)).")
        case .departed(let departure) where departure.cause == .banned || departure.cause == .destroyed:
            return print("not welcome: \(departure.reason ?? "no reason")")
        case .departed(let departure) where departure.cause == .kicked:
            print("kicked by \(departure.actorNickname ?? "someone")")
            try await Task.sleep(for: .seconds(1))
            try await chat.enter(room.address, visit)
            print("back")
        default: break
        }
    }
}
