import ChatEngine
import CredentialStore
import Foundation
import GroupChat
import Media
import Profiles
import TransportLayer
import UserProfile
import XMPPAddress
import XMPPClient
import XMPPStanzas
import XMPPStream

@testable import AccountRegistration
@testable import ChatModel
@testable import ChatStore

/// What `Wording` says of every failure, in the language of the environment; for a test that looks whether all of it is translated.
enum WordingList {
    /// Stands in each error where its developers' text is.
    private static let developersText = "The developers text is in English"

    /// Prints `TYPE<tab>CODE<tab>SENTENCE` for each line `TYPE<tab>CODE` of a file, and for each code that the compiler knows.
    static func write(codes path: String) throws {
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            let parts = line.split(separator: "\t").map(String.init)
            guard parts.count == 2, let sentence = sentence(parts[0], parts[1]) else {
                print("unknown: \(line)")
                continue
            }
            print("\(line)\t\(sentence)")
        }
        for (type, code, sentence) in known { print("\(type)\t\(code)\t\(sentence)") }
    }

    /// By codes that are values, so that the test reads them from the sources.
    private static func sentence(_ type: String, _ code: String) -> String? {
        switch type {
        case "ClientError": return Wording.failure(ClientError(.init(code), developersText))
        case "StoreError": return Wording.failure(StoreError(.init(code), developersText))
        case "GroupChatError": return Wording.failure(RoomFailure(.init(code), developersText))
        case "FailureReason": return Wording.failure(FailureReason(.notSent, condition: code))
        case "AttachmentFailure":
            return Wording.failure(AttachmentFailure(isTemporary: false, condition: code, text: developersText))
        default: return nil
        }
    }

    /// By codes that are cases.
    private static var known: [(String, String, String)] {
        var all: [(String, String, String)] = []
        for code in StreamFailure.Code.allCases {
            all.append(("StreamFailure", "\(code)", Wording.failure(StreamFailure(code), domain: "example.org")))
        }
        for condition in StanzaError.Condition.allCases {
            let error = StanzaError(condition)
            let refusal = ClientError(.refused, developersText, cause: error)
            all.append(("refused by a server", "\(condition)", Wording.failure(refusal)))
            all.append(
                (
                    "refused by a room", "\(condition)",
                    Wording.failure(RoomFailure(.refused, developersText, cause: refusal))
                ))
            all.append(
                (
                    "message that came back", "\(condition)",
                    Wording.failure(FailureReason(.refused, condition: condition.rawValue))
                ))
        }
        for code in MediaError.Code.allCases {
            all.append(("MediaError", "\(code)", Wording.failure(MediaError(code, developersText))))
        }
        for code in ProfileError.Code.allCases {
            all.append(("ProfileError", "\(code)", Wording.failure(ProfileError(code, developersText))))
        }
        let codes: [RegistrationError.Code] = [
            .notOffered, .nameTaken, .answersMissing, .notAcceptable, .tooMany, .webPage, .refused, .connection,
        ]
        for code in codes {
            all.append(("RegistrationError", "\(code)", Wording.failure(RegistrationError(code, developersText))))
        }
        let causes: [RoomDeparture.Cause] = [
            .kicked, .banned, .affiliationLost, .membersOnly, .serviceShutDown, .technicalProblem, .destroyed,
            .sessionLost, .forgotten,
        ]
        for cause in causes {
            if let absence = RoomAbsence(RoomDeparture(cause)) {
                all.append(("RoomDeparture", "\(cause)", Wording.absence(absence)))
            }
        }
        let credentials: [CredentialError.Code] = [
            .invalidText, .timedOut, .cancelled, .serviceFailed(reason: developersText), .locked, .noDataFolder,
            .folderUnusable(path: "/a", reason: developersText), .openToOthers(path: "/a"), .foreignOwner(path: "/a"),
            .notAFile(path: "/a"), .unreadable(path: "/a"), .fileFailed(path: "/a", reason: developersText),
        ]
        for code in credentials {
            all.append(("CredentialError", "\(code)", Wording.failure(CredentialError(code))))
        }
        let problems: [CertificateProblem] = [
            .expired(subject: "a", notAfter: 0), .notYetValid(subject: "a", notBefore: 0),
            .wrongName(expected: "a", names: []), .wrongName(expected: "a", names: ["b"]), .selfSigned(subject: "a"),
            .unknownAuthority(issuer: "a"), .revoked(subject: "a"), .notPinned(fingerprint: "a"), .other("a"),
        ]
        for problem in problems { all.append(("CertificateProblem", "\(problem)", Wording.failure(problem))) }
        return all
    }
}
