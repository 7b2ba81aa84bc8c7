package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.provider.contract.parsers.Parser;
import io.github.vertxrdma.provider.contract.parsers.ParserContract;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.common.CodecException;
import io.vertx.grpc.common.MessageSizeOverflowException;
import java.util.List;

class ParsersTest implements ParserContract {
  @Override
  public List<Parser> parsers() {
    return List.of(
      new Parser("frame", FrameException.class, bytes -> new FrameReader(8192).frame(Buffer.buffer(bytes), false)),
      new Parser("gzip", CodecException.class, ParsersTest::decompress, 5));
  }

  /** Reports an overlong message like other invalid bytes. */
  private static Object decompress(byte[] bytes) throws CodecException {
    try {
      return Gzip.decompress(Buffer.buffer(bytes), 1 << 16);
    } catch (MessageSizeOverflowException e) {
      throw new CodecException(e);
    }
  }
}
