package io.github.vertxrdma.perf.work;

import io.vertx.core.json.JsonObject;

/** A workload with two ends. One object is one end, used by one thread, which may block. */
interface Workload extends AutoCloseable {

  /** Becomes the server. @return data for the client */
  JsonObject serve() throws Exception;

  /** Becomes the client. @param server data of the server */
  void connect(JsonObject server) throws Exception;

  /** Runs on the client for about that long. @param size bytes of an operation */
  Sample run(int size, long nanos) throws Exception;

  @Override
  void close() throws Exception;
}
