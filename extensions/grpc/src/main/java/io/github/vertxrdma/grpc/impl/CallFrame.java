package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.base.VersionRange;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;

/** Decoded frames of the call protocol. Parts that a frame does not have are null. */
sealed interface CallFrame {
  int NO_CALL = 0;

  /** Shared empty metadata. {@link #owned} returns a copy for code that may change it. */
  MultiMap NO_METADATA = MultiMap.caseInsensitiveMultiMap();

  static MultiMap owned(MultiMap metadata) {
    return metadata == NO_METADATA ? MultiMap.caseInsensitiveMultiMap() : metadata;
  }

  default FrameType type() {
    return switch (this) {
      case Settings s -> FrameType.SETTINGS;
      case Call c -> FrameType.CALL;
      case Data d -> FrameType.DATA;
      case Status s -> FrameType.STATUS;
      case Cancel c -> FrameType.CANCEL;
      case Credit c -> FrameType.CREDIT;
      case GoAway g -> FrameType.GOAWAY;
    };
  }

  default int call() {
    return NO_CALL;
  }

  default Body body() {
    return null;
  }

  /**
   * First frame in each direction: versions and limits of its sender.
   *
   * @param maxCalls maximum calls in flight; 0 from a client
   * @param window number of messages of each call that the sender of this frame accepts before it sends credit
   */
  record Settings(VersionRange versions, int maxMessage, int maxMetadata, int maxCalls, int window) implements CallFrame {
  }

  /**
   * Encoding and metadata, sent before a side's first message.
   *
   * @param metadata null if they are longer than this side accepts
   */
  record Head(int encoding, boolean json, MultiMap metadata) {
    static final Head PLAIN = new Head(0, false, NO_METADATA);

    static Head of(int encoding, boolean json, MultiMap metadata) {
      return encoding == 0 && !json && metadata == NO_METADATA ? PLAIN : new Head(encoding, json, metadata);
    }

    /** Returns a head with the trailers added, for a response without messages: Vert.x clients read such trailers as headers. */
    Head with(MultiMap trailers) {
      return metadata == null || trailers == NO_METADATA ? this : new Head(encoding, json, owned(metadata).addAll(trailers));
    }
  }

  /**
   * A message.
   *
   * @param bytes encoded message; null if there is an outgoing one
   * @param outgoing message that is encoded when it is sent; otherwise null
   * @param compressed true if the message is compressed with the encoding of the head
   * @param registered true if the bytes are in registered memory, which is valid only while the frame is handled
   */
  record Body(Buffer bytes, OutgoingMessage outgoing, boolean compressed, boolean registered) {
    Body(Buffer bytes, boolean compressed) {
      this(bytes, null, compressed, false);
    }

    int length() {
      return outgoing == null ? bytes.length() : outgoing.size();
    }
  }

  /**
   * Begins a call.
   *
   * @param timeoutNanos 0 for none
   */
  record Call(int call, long timeoutNanos, String path, Head head, Body body, boolean end) implements CallFrame {
  }

  /** A message, the server's head, the end of the client's messages, or several of these. */
  record Data(int call, Head head, Body body, boolean end) implements CallFrame {
  }

  /**
   * Ends a call.
   *
   * @param trailers null if they are longer than this side accepts
   */
  record Status(int call, Head head, int code, String message, MultiMap trailers, Body body) implements CallFrame {
  }

  record Cancel(int call, int code) implements CallFrame {
  }

  record Credit(int call, int messages) implements CallFrame {
  }

  /**
   * Announces that the sender accepts no more calls.
   *
   * @param last greatest number of an accepted call. Calls with greater numbers were not begun
   */
  record GoAway(int last, String reason) implements CallFrame {
  }
}
