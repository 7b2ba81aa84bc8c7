package io.github.vertxrdma.grpc.impl;

/** Types of frames; docs/protocol.adoc defines their bytes. */
enum FrameType {
  SETTINGS(1), CALL(2), DATA(3), STATUS(4), CANCEL(5), CREDIT(6), GOAWAY(7);

  private static final FrameType[] BY_CODE = new FrameType[8];

  static {
    for (FrameType type : values()) {
      BY_CODE[type.code] = type;
    }
  }

  final int code;

  FrameType(int code) {
    this.code = code;
  }

  static FrameType of(int code) {
    return code < BY_CODE.length ? BY_CODE[code] : null;
  }
}
