package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import io.github.vertxrdma.provider.contract.parsers.ParserContract;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.List;

class ParsersTest implements ParserContract {
  @Override
  public List<Parser> parsers() {
    return List.of(
      new Parser("calls", IllegalArgumentException.class, ParsersTest::calls),
      new Parser("caller-message", IllegalArgumentException.class, bytes -> CallerMessage.read(Buffer.buffer(bytes))),
      new Parser("worker-message", IllegalArgumentException.class, bytes -> WorkerMessage.read(Buffer.buffer(bytes))),
      new Parser("lease-request", FunctionException.class, ParsersTest::leaseRequest, 5),
      new Parser("lease-answer", FunctionException.class, ParsersTest::leaseAnswer, 5),
      new Parser("server-message", IllegalArgumentException.class, bytes -> LeaseLink.ServerMessage.of(Buffer.buffer(bytes)), 5));
  }

  private static void calls(byte[] bytes) {
    Buffer frame = Buffer.buffer(bytes);
    CallHeader call;
    int at = 0;
    do {
      call = CallHeader.read(frame, at);
      call.arguments(frame, false).getBytes();
      if (call.trace(frame, false) != null) {
        CallTracer.read(call.trace(frame, false));
      }
      if (call.end() <= at || call.slot() < 0 || call.slot() >= Wire.MAX_SLOTS) {
        throw new AssertionError(call.toString());
      }
      at = call.end();
    } while (at < bytes.length);
  }

  private static void leaseRequest(byte[] bytes) {
    LeaseRequest.of(json(bytes), "node-a");
  }

  private static void leaseAnswer(byte[] bytes) {
    JsonObject json = json(bytes);
    if (json.containsKey("bill")) {
      LeaseAnswer.bill(json).toJson().encode();
    } else if (json.containsKey("lease")) {
      LeaseAnswer.of(json);
    } else {
      LeaseAnswer.millis(json);
    }
  }

  private static JsonObject json(byte[] bytes) {
    try {
      return Buffer.buffer(bytes).toJsonObject();
    } catch (DecodeException e) {
      throw new FunctionException(Reason.PROTOCOL, "no JSON");
    }
  }
}
