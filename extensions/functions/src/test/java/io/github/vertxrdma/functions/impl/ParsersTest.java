package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import io.github.vertxrdma.provider.contract.parsers.ParserContract;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** Parsers of what managers and their clients send each other. */
class ParsersTest implements ParserContract {
  @Override
  public List<Parser> parsers() {
    return List.of(
      new Parser("lease-request", FunctionException.class, ParsersTest::leaseRequest, 5),
      new Parser("manager-message", IllegalArgumentException.class, bytes -> ManagerLink.Said.of(Buffer.buffer(bytes)), 5));
  }

  private static void leaseRequest(byte[] bytes) {
    JsonObject json;
    try {
      json = Buffer.buffer(bytes).toJsonObject();
    } catch (DecodeException e) {
      throw new FunctionException(Reason.PROTOCOL, "no JSON");
    }
    LeaseRequest.of(json, "node-a");
  }
}
