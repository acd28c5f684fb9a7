import Foundation

/// An attack, and the tests for it.
struct Attack: Sendable, Equatable {
    /// The letter of the family and a number.
    let id: String
    /// The description of the attack.
    let name: String
    /// The attacker, or the system through which the attack is sent.
    let place: String
    /// `Target/Suite/function`; several if they test it together.
    let tests: [String]

    /// The published vulnerabilities of the same kind in other programs, by attack.
    static let published: [String: String] = [
        "A1": "CVE-2016-10027", "A4": "CVE-2011-0411", "C1": "CVE-2017-5589", "C2": "CVE-2019-16235",
        "C3": "CVE-2019-16237", "C5": "CVE-2015-8688, CVE-2019-16236", "D5": "CVE-2023-28686", "G1": "CVE-2021-33896",
        "I1": "CVE-2024-46957", "M1": "CVE-2019-16237", "P14": "CVE-2022-22784",
    ]

    /// All attacks: those of the review in its order, then those on the encryption.
    static let all: [Attack] = [
        AttackRows.negotiation, AttackRows.messages, AttackRows.transfers, AttackRows.floods, AttackRows.encryption,
    ].flatMap { rows in
        rows.split(separator: "\n").map { line in
            let fields = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return Attack(
                id: fields[0], name: fields[1], place: fields[2],
                tests: fields.count > 3 ? fields[3].split(separator: " ").map(String.init) : [])
        }
    }

    /// `Documentation/Security.md`.
    static var document: String {
        var text = """
            # Attacks

            Each row is an attack that the tests perform, with its result. `Scripts/attack --table` writes this page; a test fails
            if it differs from the test suite, or if a test in it does not exist. "Refused" means that the test passes: nothing is
            accepted, shown, answered or stored that should not be, and the conversation continues. A number of the form CVE-…
            is a published vulnerability of the same kind in other programs.

            [Testing](Testing.md#attacks) describes the attackers, and how to run random attacks during a conversation.
            [SECURITY.md](../SECURITY.md) explains how to report a vulnerability.

            | Id | Attack | Published as | From, or through | Result | Test |
            |---|---|---|---|---|---|

            """
        for attack in all {
            let tests = attack.tests.map { "`\($0.replacing("/", with: "."))`" }.joined(separator: "<br>")
            let result = attack.tests.isEmpty ? "not tested" : "refused"
            text +=
                "| \(attack.id) | \(attack.name) | \(published[attack.id] ?? "") | \(attack.place) | \(result) | \(tests) |\n"
        }
        let tested = all.count { !$0.tests.isEmpty }
        text += "\n\(all.count) attacks, \(tested) of them with a test.\n"
        return text
    }
}
