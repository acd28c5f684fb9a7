// The payloads are values without a session, in a module of their own; an extension announces, asks for and answers them.
@_exported public import MessagePayloads
