import ChatEngine
import CredentialStore
import FileSharing
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
        default: return nil
        }
    }

    /// By codes that are cases.
    private static var known: [(String, String, String)] {
        var all: [(String, String, String)] = []
        for code in StreamFailure.Code.allCases {
            let failure = StreamFailure(code, text: developersText)
            all.append(("StreamFailure", "\(code)", Wording.failure(failure, domain: "example.org")))
            all.append(("StreamFailure of any server", "\(code)", Wording.failure(failure, domain: nil)))
        }
        for problem in UnusableFile.Problem.allCases {
            var error = TransportError(.invalidConfiguration, developersText)
            error.file = UnusableFile(problem, "/a")
            all.append(("UnusableFile", "\(problem)", Wording.failure(error)))
            let failure = StreamFailure(
                .settingsUnusable, text: developersText, file: .init(problem: problem.rawValue, path: "/a"))
            all.append(("UnusableFile of an account", "\(problem)", Wording.failure(failure, domain: "example.org")))
        }
        for code in SendFailure.Code.allCases {
            all.append(("SendFailure", "\(code)", Wording.failure(SendFailure(code))))
        }
        let profile: [ProfileFailure] = [
            .folder("/a"), .store(StoreError(.inUse, developersText), path: "/a"), .accountsUnreadable("/a"),
            .accountsUnwritable("/a"),
        ]
        for failure in profile { all.append(("ProfileFailure", "\(failure)", failure.message)) }
        let ownProfile: [OwnProfileFailure] = [
            .notConnected, .unreadablePicture, .refused(ProfileError(.tooLarge, developersText)),
        ]
        for failure in ownProfile { all.append(("OwnProfileFailure", "\(failure)", Wording.failure(failure))) }
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
        for code in AttachmentFailure.Code.allCases {
            all.append(("AttachmentFailure", "\(code)", Wording.failure(AttachmentFailure(code))))
            // What could not be uploaded is why its message was not sent.
            all.append(
                (
                    "message that was not sent", "\(code)",
                    Wording.failure(FailureReason(.notSent, condition: code.rawValue))
                ))
        }
        for code in FileSharingError.Code.allCases {
            all.append(("FileSharingError", "\(code)", Wording.failure(FileSharingError(code, developersText))))
        }
        for code in TransportError.Code.allCases {
            all.append(("TransportError", "\(code)", Wording.failure(TransportError(code, developersText))))
        }
        if let invalid = try? JID("a") {
            let refusals: [ContactAddress.Refusal] = [.empty, .own, .alreadyContact(invalid)]
            for refusal in refusals {
                all.append(("ContactAddress", "\(refusal)", Wording.refusal(refusal, of: "a")))
            }
        }
        for code in MediaError.Code.allCases {
            all.append(("MediaError", "\(code)", Wording.failure(MediaError(code, developersText))))
        }
        for code in ProfileError.Code.allCases {
            all.append(("ProfileError", "\(code)", Wording.failure(ProfileError(code, developersText))))
        }
        for code in RegistrationError.Code.allCases {
            all.append(("RegistrationError", "\(code)", Wording.failure(RegistrationError(code, developersText))))
        }
        for cause in RoomDeparture.Cause.allCases {
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
