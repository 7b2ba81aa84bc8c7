package io.github.vertxrdma.grpc.impl;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;

/** Frames as they are read and written. What is optional is null where it is not there. */
sealed interface Frame {
  /** Of a whole connection. */
  int NO_CALL = 0;

  /** Metadata where there are none; shared, so {@link #owned} makes others of them for who may change them. */
  MultiMap NO_METADATA = MultiMap.caseInsensitiveMultiMap();

  static MultiMap owned(MultiMap metadata) {
    return metadata == NO_METADATA ? MultiMap.caseInsensitiveMultiMap() : metadata;
  }

  FrameType type();

  /** The call that it belongs to. */
  default int call() {
    return NO_CALL;
  }

  /** Its message, which is the last of it. */
  default Body body() {
    return null;
  }

  /** Metadata and trailers of a frame that goes out, in bytes. */
  default int metadata() {
    return 0;
  }

  /**
   * What a side speaks and takes; the first frame of each direction.
   *
   * @param highest version of this protocol
   * @param lowest version likewise
   * @param maxMessage bytes of a message that it takes
   * @param maxMetadata bytes of metadata that it takes
   * @param maxCalls under way at a time that it takes; a client takes none
   * @param window messages of each call that it takes before it gives more credit
   */
  record Settings(int highest, int lowest, int maxMessage, int maxMetadata, int maxCalls, int window) implements Frame {
    @Override
    public FrameType type() {
      return FrameType.SETTINGS;
    }
  }

  /** The frame before the first message of a side. @param metadata null if they are longer than this side takes */
  record Head(int encoding, boolean json, MultiMap metadata) {
    static final Head PLAIN = new Head(0, false, NO_METADATA);

    /** One with nothing but the defaults is shared. */
    static Head of(int encoding, boolean json, MultiMap metadata) {
      return encoding == 0 && !json && metadata == NO_METADATA ? PLAIN : new Head(encoding, json, metadata);
    }

    /** With the trailers of an answer that is nothing else: Vert.x's clients read them as headers. */
    Head with(MultiMap trailers) {
      return metadata == null || trailers == NO_METADATA ? this : new Head(encoding, json, owned(metadata).addAll(trailers));
    }
  }

  /**
   * A message.
   *
   * @param bytes null of one that is written when it is sent
   * @param outgoing one that is written when it is sent; else null
   * @param compressed in the encoding of its side's head
   * @param memory that the bytes lie in; null on the heap
   */
  record Body(Buffer bytes, OutgoingMessage outgoing, boolean compressed, FrameMemory memory) {
    Body(Buffer bytes, boolean compressed) {
      this(bytes, null, compressed, null);
    }

    int length() {
      return outgoing == null ? bytes.length() : outgoing.size();
    }
  }

  /** Begins a call. @param timeoutNanos 0 for none. @param path service and method, with a slash between */
  record Call(int call, long timeoutNanos, String path, Head head, Body body, boolean end) implements Frame {
    @Override
    public FrameType type() {
      return FrameType.CALL;
    }

    @Override
    public int metadata() {
      return FrameWriter.size(head.metadata());
    }
  }

  /** A message, the server's head, the end of the client's messages, or some of these at once. */
  record Data(int call, Head head, Body body, boolean end) implements Frame {
    @Override
    public FrameType type() {
      return FrameType.DATA;
    }

    @Override
    public int metadata() {
      return head == null ? 0 : FrameWriter.size(head.metadata());
    }
  }

  /** Ends a call, with the last message if there is one. @param trailers null if they are longer than this side takes */
  record Status(int call, Head head, int code, String message, MultiMap trailers, Body body) implements Frame {
    @Override
    public FrameType type() {
      return FrameType.STATUS;
    }

    @Override
    public int metadata() {
      return (head == null ? 0 : FrameWriter.size(head.metadata())) + FrameWriter.size(trailers);
    }
  }

  /** Ends a call for both sides. @param code of the status that it ends with */
  record Cancel(int call, int code) implements Frame {
    @Override
    public FrameType type() {
      return FrameType.CANCEL;
    }
  }

  /** Lets the peer send so many more messages of a call. */
  record Credit(int call, int messages) implements Frame {
    @Override
    public FrameType type() {
      return FrameType.CREDIT;
    }
  }

  /** No more calls; those after the last one were not looked at. @param last the greatest number of a call that was taken */
  record GoAway(int last, String reason) implements Frame {
    @Override
    public FrameType type() {
      return FrameType.GOAWAY;
    }
  }
}
