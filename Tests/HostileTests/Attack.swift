import Foundation

/// One attack of the review of security, and the test that holds it against the code.
struct Attack: Sendable, Equatable {
    /// The letter of the family and a number.
    let id: String
    /// What is tried.
    let name: String
    /// Where it comes from or passes through.
    let place: String
    /// `Target/Suite/function`; more than one where they share the work.
    let tests: [String]

    /// The published weaknesses of the same kind in other programs, by attack.
    static let published: [String: String] = [
        "A1": "CVE-2016-10027", "A4": "CVE-2011-0411", "C1": "CVE-2017-5589", "C2": "CVE-2019-16235",
        "C3": "CVE-2019-16237", "C5": "CVE-2015-8688, CVE-2019-16236", "D5": "CVE-2023-28686", "G1": "CVE-2021-33896",
        "I1": "CVE-2024-46957", "M1": "CVE-2019-16237", "P14": "CVE-2022-22784",
    ]

    /// All, in the order of the review.
    static let all: [Attack] = [AttackRows.negotiation, AttackRows.messages, AttackRows.transfers, AttackRows.floods]
        .flatMap { rows in
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

            Every row is an attack that the tests make, with what became of it: the page is written by
            `Scripts/attack --table`, and a test fails when it is not what the suite knows or when a test it names is gone.
            "Refused" means that the test passes: nothing is believed, shown, answered or kept that should not be, and the
            conversation goes on. A number of the form CVE-… names a published weakness of the same kind in other programs.

            How the attackers are built, and how to let them attack at random during a conversation:
            [Testing](Testing.md#attacks). How to report what is missing: [SECURITY.md](../SECURITY.md).

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
