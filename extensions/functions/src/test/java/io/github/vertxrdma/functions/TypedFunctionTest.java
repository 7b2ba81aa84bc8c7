package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Int64Value;
import com.google.protobuf.StringValue;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TypedFunctionTest extends Nodes {

  public record Text(String language, String words) {
  }

  public record Counted(int words, int letters) {
  }

  private static final TypedFunction<Text, Counted> COUNT = TypedFunction.json("count", Text.class, Counted.class);
  private static final TypedFunction<JsonObject, JsonObject> OBJECT = TypedFunction.json("object", JsonObject.class, JsonObject.class);
  private static final TypedFunction<StringValue, Int64Value> LETTERS = ProtobufCodec.function("letters", StringValue.getDefaultInstance(),
    Int64Value.getDefaultInstance());
  private static final TypedFunction<String, Integer> LENGTH = new TypedFunction<>("length", Codec.string(),
    Codec.of(n -> Buffer.buffer().appendInt(n), bytes -> bytes.getInt(0)));

  @Override
  void register(FunctionRegistry registry) {
    super.register(registry);
    COUNT.register(registry, new FunctionOptions(), text -> new Counted((int) Arrays.stream(text.words.split(" ")).count(),
      text.words.replace(" ", "").length()));
    OBJECT.registerAsync(registry, ON_LOOP, json -> Future.succeededFuture(json.copy().put("seen", true)));
    LENGTH.register(registry, ON_LOOP, String::length);
    LETTERS.register(registry, ON_LOOP, words -> Int64Value.of(words.getValue().length()));
  }

  @Test
  void typedValuesArriveUnchanged() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    FunctionClient invoker = invoker(node(), new LeaseOptions());
    assertEquals(new Counted(3, 10), await(COUNT.invoke(invoker, new Text("en", "more or less"))));
    assertEquals(new JsonObject().put("a", 1).put("seen", true), await(OBJECT.invoke(invoker, new JsonObject().put("a", 1))));
    assertEquals(7, await(LENGTH.invoke(invoker, "letters")));
    assertEquals(Int64Value.of(7), await(LETTERS.invoke(invoker, StringValue.of("letters"))));
    assertFails(Reason.FUNCTION_FAILED, "cannot read a " + StringValue.class.getName() + " from 3 bytes",
      invoker.invoke("letters", Buffer.buffer("{{{")));
    // A body that cannot be decoded is a failure of the function.
    assertFails(Reason.FUNCTION_FAILED, "cannot read a " + Text.class.getName() + " from 1 bytes of JSON",
      invoker.invoke("count", Buffer.buffer("{")));
    Throwable cause = assertThrows(ExecutionException.class,
      () -> await(TypedFunction.json("echo", String.class, Counted.class).invoke(invoker, "no object"))).getCause();
    assertTrue(cause.getMessage().contains("cannot read a " + Counted.class.getName() + " from "), cause.toString());
  }
}
