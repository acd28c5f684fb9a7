import ChatStore
import Foundation
import JSONRPC
import Testing
import UserProfile

@testable import Automation

@Suite("Methods for programs")
struct MethodTests {
    @Test("history is read in pages, oldest first, and searched")
    func history() async throws {
        let fixture = try await AutomationFixture()
        for number in 1...7 { try await fixture.receive("number \(number) 鸿雁") }
        try await fixture.store.finishSearchIndex()
        var page = try await fixture.call("history.read", ["with": "romeo@montague.example", "limit": 3])
        #expect(page["messages"]?.each("body") == ["number 5 鸿雁", "number 6 鸿雁", "number 7 鸿雁"])
        #expect(page["messages"]?.each("mine") == [false, false, false])
        page = try await fixture.call(
            "history.read", ["with": "romeo@montague.example", "limit": 5, "before": page["next"] ?? .null])
        #expect(page["messages"]?.each("body") == (1...4).map { .string("number \($0) 鸿雁") })
        #expect(page["next"] == nil)
        let found = try await fixture.call("history.search", ["words": "雁 6"])
        #expect(found["messages"]?.each("body") == ["number 6 鸿雁"])
        let none = try await fixture.call("history.read", ["with": "nobody@capulet.example"])
        #expect(none["messages"] == [])
        #expect(
            await fixture.failure("history.read", ["with": "romeo@montague.example", "before": 99])?.data?["failure"]
                == "not-found")
        let list = try await fixture.call("conversations.list")
        #expect(list["conversations"]?.each("unread") == [7])
    }

    @Test("a page is limited in bytes; the rest is in the next one")
    func pageBytes() async throws {
        let fixture = try await AutomationFixture()
        let text = String(repeating: "长", count: 40_000)
        for number in 1...5 { try await fixture.receive("\(number) " + text) }
        var bodies: [String] = []
        var next = JSONValue.null
        repeat {
            let page = try await fixture.call("history.read", ["with": "romeo@montague.example", "before": next])
            #expect(page.description.utf8.count < AutomationContext.pageBytes + 150_000)
            let messages = page["messages"]?.array ?? []
            #expect(!messages.isEmpty)
            bodies = messages.compactMap { $0["body"]?.string } + bodies
            next = page["next"] ?? .null
        } while next != .null
        #expect(bodies.map(\.first) == ["1", "2", "3", "4", "5"])
    }

    @Test("messages are queued, replied to, corrected, retracted and reacted to; the same call twice is one message")
    func sending() async throws {
        let fixture = try await AutomationFixture()
        let asked = try await fixture.receive("What's in a name?", id: "q")
        func send(_ parameters: (String, JSONValue)...) async throws(JSONRPCError) -> JSONValue {
            try await fixture.call(
                "message.send", JSONValue([("to", "romeo@montague.example"), ("wait", "queued")] + parameters))
        }
        let first = try await send(("text", "A rose"), ("reply", .integer(Int(asked.rawValue))), ("id", "once"))
        let again = try await send(("text", "A rose"), ("reply", .integer(Int(asked.rawValue))), ("id", "once"))
        #expect(first == again && first["stage"] == "queued" && first["id"] == "once")
        _ = try await send(("react", .integer(Int(asked.rawValue))), ("emojis", ["🌹", "👍"]))
        let (queue, own) = try await fixture.store.read { [id = fixture.account.id] store throws(StoreError) in
            (try store.sendQueue(of: id).map(\.content), try store.sendQueue(of: id).first?.message)
        }
        #expect(queue.count == 2)
        guard case .text(let text)? = queue.first, case .reactions(let target, let emojis)? = queue.last else {
            Issue.record("\(queue)")
            return
        }
        #expect(text.reply == .sent(id: "q") && target == .sent(id: "q") && emojis == ["🌹", "👍"])
        let number = try #require(own?.id.rawValue)
        // Nobody has it yet, so there is nothing to correct or retract; it can be cancelled.
        for act in ["correct", "retract"] {
            let error = await fixture.failure(
                "message.send",
                [
                    "to": "romeo@montague.example",
                    act == "correct" ? "text" : "wait": act == "correct" ? "x" : "queued",
                    "retract": act == "retract" ? .integer(Int(number)) : .null,
                    "correct": act == "correct" ? .integer(Int(number)) : .null,
                ])
            #expect(error?.data?["failure"] == "target", "\(act): \(String(describing: error))")
        }
        try await fixture.store.write { store throws(StoreError) in
            try store.advance(MessageID(rawValue: number), to: .sentToServer)
        }
        _ = try await send(("text", "By any other name"), ("correct", .integer(Int(number))))
        _ = try await send(("retract", .integer(Int(number))))
        // A message of another is not changed.
        for act in ["correct", "retract"] {
            await #expect(throws: JSONRPCError.self) {
                try await send(("text", act == "correct" ? "no" : .null), (act, .integer(Int(asked.rawValue))))
            }
        }
        let page = try await fixture.call("history.read", ["with": "romeo@montague.example"])
        #expect(page["messages"]?.each("retracted") == [.null, true])
        // Without a connection nothing is sent, and nothing stays.
        let offline = await fixture.failure("message.send", ["to": "romeo@montague.example", "text": "now"])
        #expect(offline?.data?["failure"] == "offline")
    }

    @Test("waiting messages are listed and cancelled")
    func queue() async throws {
        let fixture = try await AutomationFixture()
        let sent = try await fixture.call(
            "message.send", ["to": "romeo@montague.example", "text": "later", "wait": "queued"])
        var list = try await fixture.call("queue.list")
        #expect(list["messages"]?.each("body") == ["later"])
        #expect(list["messages"]?.each("state") == ["queued"])
        let received = try await fixture.receive("of others")
        #expect(
            await fixture.failure("queue.cancel", ["message": .integer(Int(received.rawValue))])?.data?["failure"]
                == "not-found")
        _ = try await fixture.call("queue.cancel", ["message": sent["message"] ?? .null])
        list = try await fixture.call("queue.list")
        #expect(list["messages"] == [])
    }

    @Test("a file is sent as it is, and one that is not there is refused")
    func files() async throws {
        let fixture = try await AutomationFixture()
        let path = fixture.folder + "/plan 计划.pdf"
        try Data("%PDF-1.4 plan".utf8).write(to: URL(fileURLWithPath: path))
        _ = try await fixture.call(
            "message.send", ["to": "romeo@montague.example", "file": .string(path), "wait": "queued"])
        let page = try await fixture.call("history.read", ["with": "romeo@montague.example"])
        let file = page["messages"]?.array?.first?["files"]?.array?.first
        #expect(file?["name"] == "plan 计划.pdf" && file?["bytes"] == 13 && file?["path"] != nil)
        for path in ["/nowhere", fixture.folder, "/dev/null/x"] {
            let error = await fixture.failure("message.send", ["to": "romeo@montague.example", "file": .string(path)])
            #expect(error?.data?["failure"] == "file", "\(path)")
        }
        let picture = await fixture.failure("message.send", ["to": "romeo@montague.example", "picture": .string(path)])
        #expect(picture?.data?["failure"] == "file")
    }

    @Test(
        "wrong arguments are refused, and the answer names them",
        arguments: [
            ("history.read", #"[]"#, "object"), ("history.read", #"{}"#, "with"),
            ("history.read", #"{"with":5}"#, "with"),
            ("history.read", #"{"with":"@"}"#, "with"), ("history.read", #"{"with":"a@b","limit":0}"#, "limit"),
            ("history.read", #"{"with":"a@b","limit":501}"#, "limit"),
            ("history.read", #"{"with":"a@b","limit":"5"}"#, "limit"),
            ("history.read", #"{"with":"a@b","befor":1}"#, "befor"),
            ("history.read", #"{"with":"a@b","before":"noon"}"#, "before"),
            ("history.search", #"{"words":["a"]}"#, "words"), ("message.send", #"{"to":"a@b"}"#, "one of"),
            ("message.send", #"{"to":"a@b","text":""}"#, "empty"),
            ("message.send", #"{"to":"a@b","text":"x","file":"/x"}"#, "one of"),
            ("message.send", #"{"to":"a@b","file":"relative"}"#, "file"),
            ("message.send", #"{"to":"a@b","text":"x","wait":"forever"}"#, "wait"),
            ("message.send", #"{"to":"a@b","text":"x","reply":1,"correct":1}"#, "reply"),
            ("message.send", #"{"to":"a@b","react":1}"#, "emojis"),
            ("message.send", #"{"to":"a@b","react":1,"emojis":[1]}"#, "emojis"),
            ("contacts.add", #"{"address":"juliet@capulet.example"}"#, "itself"),
            ("events.subscribe", #"{}"#, "reader"), ("events.subscribe", #"{"reader":""}"#, "reader"),
            ("events.read", #"{"reader":"r","after":"x"}"#, "cursor"),
            ("events.read", #"{"reader":"r","after":"a-b-1"}"#, "cursor"),
            ("events.acknowledge", #"{"reader":"r","cursor":"a--1"}"#, "cursor"),
            ("queue.cancel", #"{"message":-1}"#, "message"),
        ])
    func arguments(_ method: String, _ parameters: String, _ word: String) async throws {
        let fixture = try await AutomationFixture()
        let error = await fixture.failure(method, try JSONValue(parsing: parameters.utf8))
        #expect(error?.code == -32602 && error?.message.contains(word) == true, "\(String(describing: error))")
    }

    @Test("what needs a connection fails with a reason for programs")
    func offline() async throws {
        let fixture = try await AutomationFixture()
        for (method, parameters): (String, JSONValue) in [
            ("contacts.add", ["address": "nurse@capulet.example"]), ("rooms.join", ["address": "room@rooms.example"]),
        ] {
            let error = await fixture.failure(method, parameters)
            #expect(error?.data?["failure"] == "offline", "\(method): \(String(describing: error))")
        }
        for method in ["contacts.accept", "contacts.decline", "contacts.remove", "rooms.leave"] {
            let error = await fixture.failure(method, ["address": "nurse@capulet.example"])
            #expect(error?.data?["failure"] == "not-found", "\(method)")
        }
        let accounts = try await fixture.call("accounts.list")
        #expect(accounts["accounts"]?.each("state") == ["offline"])
        #expect(
            await fixture.failure("conversations.list", ["account": "nurse@capulet.example"])?.data?["failure"]
                == "account")
        #expect(await fixture.failure("dance")?.code == -32601)
    }

    @Test("the methods describe themselves")
    func descriptions() async throws {
        let fixture = try await AutomationFixture()
        let list = try await fixture.call("methods.list")
        let methods = list["methods"]?.array ?? []
        #expect(methods.count == fixture.service.methods.count - 1)
        for method in methods {
            #expect(method["text"]?.string?.isEmpty == false)
            #expect(method["schema"]?["type"] == "object" && method["schema"]?["additionalProperties"] == false)
            for property in method["schema"]?["properties"]?.members ?? [] {
                #expect(property.value["type"] != nil && property.value["description"] != nil, "\(property.key)")
            }
        }
    }
}
