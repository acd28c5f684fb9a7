import Foundation
import ProgramFixtures
import ServerFixtures
import Testing

@testable import CommandLine

/// Encryption in the chat of the terminal.
@Suite("The encrypted chat in the terminal", .timeLimit(.minutes(20)))
struct EncryptedChatTests {
    private static func person(_ name: String, encryption: String) async throws -> Person {
        let person = try await Person(name, on: PrivateProsody.shared)
        try await person.run("login", "--encryption", encryption)
        if encryption != "off" { try await person.run("keys", "publish") }
        return person
    }

    private func quit(_ program: Program) async {
        program.type("/quit\r")
        #expect(await program.result().status == 0)
    }

    @Test("a lock says before sending whether a message will be encrypted, and stands beside each message")
    func locks() async throws {
        let juliet = try await Self.person("juliet", encryption: "when-possible")
        let romeo = try await Self.person("romeo", encryption: "when-possible")
        let nurse = try await Self.person("nurse", encryption: "off")
        let hers = try juliet.chat(romeo.address)
        let his = try romeo.chat(juliet.address)
        try await hers.waitForScreen("🔒> ")
        try await his.waitForScreen("🔒> ")
        hers.type("good night\r")
        try await hers.waitForScreen("🔒 me: good night")
        try await his.waitForOutput("the message") { _ in his.screen().text.contains("good night") }
        #expect(his.screen().text.contains("🔒 \(juliet.account.username)".prefix(8)))
        // Somebody without encryption is written to in clear, and the chat says so before.
        hers.type("/chat \(nurse.address)\r")
        try await hers.waitForScreen("🔓> ")
        hers.type("/encryption\r")
        try await hers.waitForScreen("has no device that can decrypt")
        hers.type("good night, nurse\r")
        try await hers.waitForScreen("me: good night, nurse")
        #expect(!hers.screen().text.contains("🔒 me: good night, nurse"))
        hers.type("/encryption always\r")
        try await hers.waitForScreen("🔒✗> ")
        hers.type("secret\r")
        try await hers.waitForScreen("Not sent: “secret”")
        hers.type("/encryption never\r")
        try await hers.waitForScreen("🔓> ")
        hers.type("/encryption sometimes\r")
        try await hers.waitForScreen("Type /encryption")
        hers.type("\u{3}")
        await quit(hers)
        await quit(his)
    }

    @Test("a key is compared and verified; a further device waits for a decision, which the chat says")
    func keys() async throws {
        let juliet = try await Self.person("juliet", encryption: "when-possible")
        let romeo = try await Self.person("romeo", encryption: "when-possible")
        // The server tells contacts about new devices.
        try await juliet.befriend(romeo)
        let own = try await romeo.run("keys", "--json").objects.first
        let fingerprint = try #require(own?["fingerprint"] as? String)
        let chat = try juliet.chat(romeo.address)
        try await chat.waitForScreen("🔒> ")
        chat.type("/verify 1\r")
        try await chat.waitForScreen("List the devices with /keys first.")
        chat.type("/keys\r")
        try await chat.waitForScreen("Link for others")
        #expect(chat.screen().text.contains(fingerprint.prefix(8) + " " + fingerprint.dropFirst(8).prefix(8)))
        chat.type("/verify 2\r")
        try await chat.waitForScreen("There is no such key")
        chat.type("/verify 1\r")
        try await chat.waitForScreen("Does the other device show the same (yes/no)?")
        chat.type("no\r")
        try await chat.waitForScreen("Nothing was changed.")
        chat.type("/verify 1\r")
        try await chat.waitForOutput("the question") { _ in
            chat.screen().text.ranges(of: "Does the other device show the same").count >= 1
        }
        chat.type("yes\r")
        try await chat.waitForScreen("Verified")
        // A device that comes later is not trusted any more without a decision.
        let elsewhere = try ProgramHome()
        let words = try romeo.connection()
        for words in [["login", "--encryption", "always"] + words, ["keys", "publish"] + words] {
            #expect(try await Program("hongyan", words, home: elsewhere).result().status == 0)
        }
        try await chat.waitForScreen("🔒!> ")
        try await chat.waitForScreen("These devices cannot either")
        chat.type("/keys\r")
        try await chat.waitForScreen("New: not decided yet")
        chat.type("/distrust \(fingerprint)\r")
        try await chat.waitForScreen("🔒✗> ")
        chat.type("nobody reads this\r")
        try await chat.waitForScreen("Not sent: “nobody reads this”")
        await quit(chat)
    }

    @Test("in a narrow terminal and in Chinese no row of it is wider than the screen")
    func narrow() async throws {
        let juliet = try await Self.person("juliet", encryption: "always")
        let romeo = try await Self.person("romeo", encryption: "when-possible")
        let chat = try Program(
            "hongyan", ["chat", romeo.address] + juliet.connection(), home: juliet.home,
            environment: [
                "LC_ALL": "", "LANG": "zh_CN.UTF-8", "HONGYAN_LOCALE_DIR": try await juliet.home.translations(),
            ], size: (40, 24))
        try await chat.waitForScreen("🔒> ", columns: 40)
        chat.type("晚安，罗密欧，离别是这样甜蜜的凄清，我真要向你道晚安直到天明\r")
        try await chat.waitForScreen("🔒", columns: 40)
        chat.type("/keys\r")
        try await chat.waitForScreen("供别人验证本设备的链接", columns: 40)
        chat.type("/encryption\r")
        try await chat.waitForScreen("加密：", columns: 40)
        await quit(chat)
        #expect(chat.screen(columns: 40).wrapCount == 0)
    }
}
