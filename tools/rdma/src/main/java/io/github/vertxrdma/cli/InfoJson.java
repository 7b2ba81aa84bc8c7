package io.github.vertxrdma.cli;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.impl.link.MessagePaths;
import io.github.vertxrdma.impl.process.RecordJson;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Selection;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

final class InfoJson {
  private InfoJson() {
  }

  static JsonObject of(Survey survey, Map<String, Selection> selections) {
    return new JsonObject()
      .put("providers", array(survey.providers(), InfoJson::provider))
      .put("selections", array(selections.entrySet(), entry -> selection(entry.getKey(), entry.getValue())));
  }

  private static JsonObject provider(Survey.Found found) {
    return new JsonObject()
      .put("name", found.name())
      .put("fallback", found.fallback())
      .put("devices", array(found.devices(), InfoJson::device))
      .put("unavailable", array(found.unavailable(), RecordJson::of));
  }

  private static JsonObject device(Survey.Tested tested) {
    JsonObject json = new JsonObject()
      .put("name", tested.name())
      .put("fabric", tested.fabric())
      .put("device", tested.device().toString())
      .put("endpointType", tested.endpointType().name())
      .put("reach", tested.reach().name())
      .put("preference", tested.preference().name())
      .put("speed", tested.speed())
      .put("opens", tested.opens())
      .put("advertised", RecordJson.of(tested.device().capabilities()))
      .put("capabilities", RecordJson.of(tested.capabilities()))
      .put("limits", RecordJson.of(tested.limits()))
      .put("messagePaths", RecordJson.of(MessagePaths.of(tested.capabilities(), tested.limits(), new RdmaOptions())));
    if (!tested.opens()) {
      json.put("failure", tested.failure());
    }
    return json.put("strategies", new JsonObject(new LinkedHashMap<>(tested.strategies())));
  }

  private static JsonObject selection(String use, Selection selection) {
    return new JsonObject()
      .put("for", use)
      .put("ranked", array(selection.ranked(), Device::name))
      .put("refused", array(selection.refused(), refusal -> new JsonObject()
        .put("device", refusal.device().name()).put("missed", new JsonArray(List.copyOf(refusal.missed())))));
  }

  private static <T> JsonArray array(Collection<T> values, Function<T, Object> json) {
    return new JsonArray(values.stream().map(json).toList());
  }
}
