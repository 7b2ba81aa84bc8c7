package io.github.vertxrdma.impl.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.Latencies;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Statistics as JSON, between nodes and tools of different versions. */
@Timeout(60)
class RecordJsonTest {
  private int last;

  private NodeStatistics node() {
    return (NodeStatistics) value(NodeStatistics.class);
  }

  /** Returns a value that differs from all others and from defaults, down to the components of its records. */
  private Object value(Type type) {
    last++;
    return switch (type) {
      case ParameterizedType list -> List.of(value(list.getActualTypeArguments()[0]), value(list.getActualTypeArguments()[0]));
      case Class<?> c when c == String.class -> "text " + last;
      case Class<?> c when c == int.class -> last;
      case Class<?> c when c == long.class -> (1L << 40) + last;
      case Class<?> c when c == boolean.class -> true;
      case Class<?> c when c.isEnum() -> c.getEnumConstants()[c.getEnumConstants().length - 1];
      case Class<?> c -> {
        List<Object> values = new ArrayList<>();
        for (RecordComponent component : c.getRecordComponents()) {
          values.add(value(component.getGenericType()));
        }
        try {
          yield c.getDeclaredConstructors()[0].newInstance(values.toArray());
        } catch (ReflectiveOperationException e) {
          throw new AssertionError(e);
        }
      }
      default -> throw new AssertionError(type + " has no form in JSON");
    };
  }

  private static NodeStatistics read(JsonObject json) {
    return RecordJson.read(NodeStatistics.class, json.toBuffer());
  }

  private static void each(Object json, Consumer<JsonObject> action) {
    if (json instanceof JsonArray array) {
      array.forEach(element -> each(element, action));
    } else if (json instanceof JsonObject object) {
      object.forEach(member -> each(member.getValue(), action));
      action.accept(object);
    }
  }

  @Test
  void everyComponentIsReadAsWritten() {
    NodeStatistics node = node();
    assertEquals(node, read(node.toJson()));
    assertEquals(node.toJson(), read(node.toJson()).toJson());
  }

  @Test
  void membersOfANewerVersionAreSkipped() {
    NodeStatistics node = node();
    JsonObject json = node.toJson();
    each(json, object -> object.put("newer", new JsonObject().put("a", new JsonArray().add(1))));
    assertEquals(node, read(json));
    json.getJsonArray("devices").getJsonObject(0).put("endpointType", "NEWER");
    assertEquals(EndpointType.values()[0], read(json).devices().getFirst().endpointType());
  }

  @Test
  void aMissingMemberHasItsDefaultAndTheOthersAreRead() {
    NodeStatistics node = node();
    NodeStatistics empty = read(new JsonObject());
    for (RecordComponent component : NodeStatistics.class.getRecordComponents()) {
      JsonObject json = node.toJson();
      json.remove(component.getName());
      NodeStatistics read = read(json);
      assertNotEquals(node, read, component.getName());
      assertEquals(empty.toJson().getValue(component.getName()), read.toJson().getValue(component.getName()));
      assertEquals(json, without(read, component.getName()));
    }
    DeviceStatistics device = RecordJson.read(DeviceStatistics.class, new JsonObject());
    assertEquals(Latencies.NONE, device.requests());
    assertEquals(0, device.traffic().messagesSent());
    assertEquals(-1, RecordJson.read(ConnectionStatistics.class, new JsonObject()).roundTripNanos());
  }

  private static JsonObject without(NodeStatistics node, String member) {
    JsonObject json = node.toJson();
    json.remove(member);
    return json;
  }
}
