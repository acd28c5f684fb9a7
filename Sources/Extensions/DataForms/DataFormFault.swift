internal import XMPPAddress

/// Why answers do not fit a form (XEP-0004 §3.3, XEP-0122).
public struct DataFormFault: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Reason: Sendable, Hashable {
        /// A required field has no value.
        case missing
        /// The field takes one value.
        case tooMany
        /// More or fewer values than a list takes.
        case count
        /// The value is none of the options.
        case notAnOption
        /// The value is no address, boolean, number or date, or out of range.
        case invalid
    }

    /// The name of the field.
    public let field: String
    /// The field's label, or its name.
    public let label: String
    public let reason: Reason

    /// A sentence for a log or the error of a command, in English.
    public var description: String {
        switch reason {
        case .missing: "“\(label)” needs a value."
        case .tooMany: "“\(label)” takes one value."
        case .count: "“\(label)” takes another number of values."
        case .notAnOption: "The value of “\(label)” is none of its options."
        case .invalid: "The value of “\(label)” is not valid."
        }
    }
}

extension DataForm {
    /// What is wrong with the answers to this form: at most one fault per field, in the order of the form. Fields that
    /// the form does not have are ignored.
    public func faults(in answers: DataForm) -> [DataFormFault] {
        var given: [String: [String]] = [:]
        for field in answers.fields { if let name = field.name, given[name] == nil { given[name] = field.values } }
        return fields.compactMap { field in
            guard let name = field.name, field.kind != .fixed, field.kind != .hidden else { return nil }
            guard let reason = field.fault(in: given[name]) else { return nil }
            return DataFormFault(field: name, label: field.label ?? name, reason: reason)
        }
    }
}

extension DataFormField {
    /// What is wrong with the values given for this field, `nil` if nothing was given.
    func fault(in given: [String]?) -> DataFormFault.Reason? {
        // An empty value unsets a field (XEP-0004 §3.6).
        let values = (given ?? []).filter { !$0.isEmpty }
        guard !values.isEmpty else { return isRequired ? .missing : nil }
        let takesMany = [.jidMulti, .listMulti, .textMulti].contains(kind)
        if !takesMany, values.count > 1 { return .tooMany }
        let validation = validation
        if kind == .listMulti, let validation {
            if let least = validation.minimumCount, values.count < least { return .count }
            if let most = validation.maximumCount, values.count > most { return .count }
        }
        switch kind {
        case .boolean: if !["true", "false", "1", "0"].contains(values[0]) { return .invalid }
        case .jidSingle, .jidMulti: if values.contains(where: { (try? JID($0)) == nil }) { return .invalid }
        case .listSingle, .listMulti:
            let known = Set(options.map(\.value))
            if validation?.isOpen != true, !known.isSuperset(of: values) { return .notAnOption }
        default: break
        }
        if let validation, !values.allSatisfy(validation.permits) { return .invalid }
        return nil
    }
}

extension DataFormField {
    /// Whether the value means yes; `nil` if it is no boolean (§3.3).
    public var isTrue: Bool? {
        switch values.first {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }
}
