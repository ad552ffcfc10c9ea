// @ts-nocheck
// Generated from schemas/ by scripts/generate-contracts.ts. Do not edit: run `npm run generate`.
// <stdin>
var isValidateRequest = validate20;
var schema34 = { "title": "TradeAction", "description": "long opens or adds to a long position, short to a short one, close reduces what is open.", "type": "string", "enum": ["long", "short", "close"] };
var schema37 = { "title": "MarginMode", "description": "Margin mode.", "type": "string", "enum": ["cross", "isolated"] };
var pattern4 = new RegExp("^0x[0-9a-fA-F]{40}$", "u");
function validate20(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  ;
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate20.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.asset === void 0 && (missing0 = "asset") || data.action === void 0 && (missing0 = "action") || data.size === void 0 && (missing0 = "size") || data.wallet === void 0 && (missing0 = "wallet")) {
        validate20.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.asset !== void 0) {
          const _errs2 = errors;
          if (typeof data.asset !== "string") {
            validate20.errors = [{ instancePath: instancePath + "/asset", schemaPath: "units.schema.json#/$defs/ticker/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
            return false;
          }
          var valid0 = _errs2 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.action !== void 0) {
            let data1 = data.action;
            const _errs6 = errors;
            if (typeof data1 !== "string") {
              validate20.errors = [{ instancePath: instancePath + "/action", schemaPath: "units.schema.json#/$defs/action/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
            if (!(data1 === "long" || data1 === "short" || data1 === "close")) {
              validate20.errors = [{ instancePath: instancePath + "/action", schemaPath: "units.schema.json#/$defs/action/enum", keyword: "enum", params: { allowedValues: schema34.enum }, message: "must be equal to one of the allowed values" }];
              return false;
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.size !== void 0) {
              let data2 = data.size;
              const _errs10 = errors;
              const _errs12 = errors;
              if (errors === _errs12) {
                if (typeof data2 == "number" && isFinite(data2)) {
                  if (data2 > 1e8 || isNaN(data2)) {
                    validate20.errors = [{ instancePath: instancePath + "/size", schemaPath: "units.schema.json#/$defs/trade_size/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e8 }, message: "must be <= 100000000" }];
                    return false;
                  } else {
                    if (data2 <= 0 || isNaN(data2)) {
                      validate20.errors = [{ instancePath: instancePath + "/size", schemaPath: "units.schema.json#/$defs/trade_size/exclusiveMinimum", keyword: "exclusiveMinimum", params: { comparison: ">", limit: 0 }, message: "must be > 0" }];
                      return false;
                    }
                  }
                } else {
                  validate20.errors = [{ instancePath: instancePath + "/size", schemaPath: "units.schema.json#/$defs/trade_size/type", keyword: "type", params: { type: "number" }, message: "must be number" }];
                  return false;
                }
              }
              var valid0 = _errs10 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.leverage !== void 0) {
                let data3 = data.leverage;
                const _errs14 = errors;
                const _errs15 = errors;
                let valid7 = false;
                const _errs16 = errors;
                if (!(typeof data3 == "number" && isFinite(data3))) {
                  const err0 = { instancePath: instancePath + "/leverage", schemaPath: "#/properties/leverage/anyOf/0/type", keyword: "type", params: { type: "number" }, message: "must be number" };
                  if (vErrors === null) {
                    vErrors = [err0];
                  } else {
                    vErrors.push(err0);
                  }
                  errors++;
                }
                var _valid0 = _errs16 === errors;
                valid7 = valid7 || _valid0;
                const _errs18 = errors;
                if (data3 !== null) {
                  const err1 = { instancePath: instancePath + "/leverage", schemaPath: "#/properties/leverage/anyOf/1/type", keyword: "type", params: { type: "null" }, message: "must be null" };
                  if (vErrors === null) {
                    vErrors = [err1];
                  } else {
                    vErrors.push(err1);
                  }
                  errors++;
                }
                var _valid0 = _errs18 === errors;
                valid7 = valid7 || _valid0;
                if (!valid7) {
                  const err2 = { instancePath: instancePath + "/leverage", schemaPath: "#/properties/leverage/anyOf", keyword: "anyOf", params: {}, message: "must match a schema in anyOf" };
                  if (vErrors === null) {
                    vErrors = [err2];
                  } else {
                    vErrors.push(err2);
                  }
                  errors++;
                  validate20.errors = vErrors;
                  return false;
                } else {
                  errors = _errs15;
                  if (vErrors !== null) {
                    if (_errs15) {
                      vErrors.length = _errs15;
                    } else {
                      vErrors = null;
                    }
                  }
                }
                var valid0 = _errs14 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.wallet !== void 0) {
                  let data4 = data.wallet;
                  const _errs20 = errors;
                  const _errs22 = errors;
                  if (errors === _errs22) {
                    if (typeof data4 === "string") {
                      if (!pattern4.test(data4)) {
                        validate20.errors = [{ instancePath: instancePath + "/wallet", schemaPath: "units.schema.json#/$defs/wallet/pattern", keyword: "pattern", params: { pattern: "^0x[0-9a-fA-F]{40}$" }, message: 'must match pattern "^0x[0-9a-fA-F]{40}$"' }];
                        return false;
                      }
                    } else {
                      validate20.errors = [{ instancePath: instancePath + "/wallet", schemaPath: "units.schema.json#/$defs/wallet/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                      return false;
                    }
                  }
                  var valid0 = _errs20 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.mode !== void 0) {
                    let data5 = data.mode;
                    const _errs24 = errors;
                    const _errs25 = errors;
                    let valid10 = false;
                    const _errs26 = errors;
                    if (typeof data5 !== "string") {
                      const err3 = { instancePath: instancePath + "/mode", schemaPath: "units.schema.json#/$defs/margin_mode/type", keyword: "type", params: { type: "string" }, message: "must be string" };
                      if (vErrors === null) {
                        vErrors = [err3];
                      } else {
                        vErrors.push(err3);
                      }
                      errors++;
                    }
                    if (!(data5 === "cross" || data5 === "isolated")) {
                      const err4 = { instancePath: instancePath + "/mode", schemaPath: "units.schema.json#/$defs/margin_mode/enum", keyword: "enum", params: { allowedValues: schema37.enum }, message: "must be equal to one of the allowed values" };
                      if (vErrors === null) {
                        vErrors = [err4];
                      } else {
                        vErrors.push(err4);
                      }
                      errors++;
                    }
                    var _valid1 = _errs26 === errors;
                    valid10 = valid10 || _valid1;
                    const _errs29 = errors;
                    if (data5 !== null) {
                      const err5 = { instancePath: instancePath + "/mode", schemaPath: "#/properties/mode/anyOf/1/type", keyword: "type", params: { type: "null" }, message: "must be null" };
                      if (vErrors === null) {
                        vErrors = [err5];
                      } else {
                        vErrors.push(err5);
                      }
                      errors++;
                    }
                    var _valid1 = _errs29 === errors;
                    valid10 = valid10 || _valid1;
                    if (!valid10) {
                      const err6 = { instancePath: instancePath + "/mode", schemaPath: "#/properties/mode/anyOf", keyword: "anyOf", params: {}, message: "must match a schema in anyOf" };
                      if (vErrors === null) {
                        vErrors = [err6];
                      } else {
                        vErrors.push(err6);
                      }
                      errors++;
                      validate20.errors = vErrors;
                      return false;
                    } else {
                      errors = _errs25;
                      if (vErrors !== null) {
                        if (_errs25) {
                          vErrors.length = _errs25;
                        } else {
                          vErrors = null;
                        }
                      }
                    }
                    var valid0 = _errs24 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.monte_carlo !== void 0) {
                      let data6 = data.monte_carlo;
                      const _errs31 = errors;
                      const _errs32 = errors;
                      let valid12 = false;
                      const _errs33 = errors;
                      if (typeof data6 !== "boolean") {
                        const err7 = { instancePath: instancePath + "/monte_carlo", schemaPath: "#/properties/monte_carlo/anyOf/0/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean" };
                        if (vErrors === null) {
                          vErrors = [err7];
                        } else {
                          vErrors.push(err7);
                        }
                        errors++;
                      }
                      var _valid2 = _errs33 === errors;
                      valid12 = valid12 || _valid2;
                      const _errs35 = errors;
                      if (data6 !== null) {
                        const err8 = { instancePath: instancePath + "/monte_carlo", schemaPath: "#/properties/monte_carlo/anyOf/1/type", keyword: "type", params: { type: "null" }, message: "must be null" };
                        if (vErrors === null) {
                          vErrors = [err8];
                        } else {
                          vErrors.push(err8);
                        }
                        errors++;
                      }
                      var _valid2 = _errs35 === errors;
                      valid12 = valid12 || _valid2;
                      if (!valid12) {
                        const err9 = { instancePath: instancePath + "/monte_carlo", schemaPath: "#/properties/monte_carlo/anyOf", keyword: "anyOf", params: {}, message: "must match a schema in anyOf" };
                        if (vErrors === null) {
                          vErrors = [err9];
                        } else {
                          vErrors.push(err9);
                        }
                        errors++;
                        validate20.errors = vErrors;
                        return false;
                      } else {
                        errors = _errs32;
                        if (vErrors !== null) {
                          if (_errs32) {
                            vErrors.length = _errs32;
                          } else {
                            vErrors = null;
                          }
                        }
                      }
                      var valid0 = _errs31 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.explain !== void 0) {
                        let data7 = data.explain;
                        const _errs37 = errors;
                        const _errs38 = errors;
                        let valid13 = false;
                        const _errs39 = errors;
                        if (typeof data7 !== "boolean") {
                          const err10 = { instancePath: instancePath + "/explain", schemaPath: "#/properties/explain/anyOf/0/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean" };
                          if (vErrors === null) {
                            vErrors = [err10];
                          } else {
                            vErrors.push(err10);
                          }
                          errors++;
                        }
                        var _valid3 = _errs39 === errors;
                        valid13 = valid13 || _valid3;
                        const _errs41 = errors;
                        if (data7 !== null) {
                          const err11 = { instancePath: instancePath + "/explain", schemaPath: "#/properties/explain/anyOf/1/type", keyword: "type", params: { type: "null" }, message: "must be null" };
                          if (vErrors === null) {
                            vErrors = [err11];
                          } else {
                            vErrors.push(err11);
                          }
                          errors++;
                        }
                        var _valid3 = _errs41 === errors;
                        valid13 = valid13 || _valid3;
                        if (!valid13) {
                          const err12 = { instancePath: instancePath + "/explain", schemaPath: "#/properties/explain/anyOf", keyword: "anyOf", params: {}, message: "must match a schema in anyOf" };
                          if (vErrors === null) {
                            vErrors = [err12];
                          } else {
                            vErrors.push(err12);
                          }
                          errors++;
                          validate20.errors = vErrors;
                          return false;
                        } else {
                          errors = _errs38;
                          if (vErrors !== null) {
                            if (_errs38) {
                              vErrors.length = _errs38;
                            } else {
                              vErrors = null;
                            }
                          }
                        }
                        var valid0 = _errs37 === errors;
                      } else {
                        var valid0 = true;
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate20.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate20.errors = vErrors;
  return errors === 0;
}
validate20.evaluated = { "props": { "asset": true, "action": true, "size": true, "leverage": true, "wallet": true, "mode": true, "monte_carlo": true, "explain": true }, "dynamicProps": false, "dynamicItems": false };
var isBatchEnvelope = validate22;
function validate22(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  ;
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate22.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.wallet === void 0 && (missing0 = "wallet") || data.trades === void 0 && (missing0 = "trades")) {
        validate22.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.wallet !== void 0) {
          let data0 = data.wallet;
          const _errs1 = errors;
          const _errs3 = errors;
          if (errors === _errs3) {
            if (typeof data0 === "string") {
              if (!pattern4.test(data0)) {
                validate22.errors = [{ instancePath: instancePath + "/wallet", schemaPath: "units.schema.json#/$defs/wallet/pattern", keyword: "pattern", params: { pattern: "^0x[0-9a-fA-F]{40}$" }, message: 'must match pattern "^0x[0-9a-fA-F]{40}$"' }];
                return false;
              }
            } else {
              validate22.errors = [{ instancePath: instancePath + "/wallet", schemaPath: "units.schema.json#/$defs/wallet/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.trades !== void 0) {
            let data1 = data.trades;
            const _errs5 = errors;
            if (errors === _errs5) {
              if (Array.isArray(data1)) {
                if (data1.length > 50) {
                  validate22.errors = [{ instancePath: instancePath + "/trades", schemaPath: "#/properties/trades/maxItems", keyword: "maxItems", params: { limit: 50 }, message: "must NOT have more than 50 items" }];
                  return false;
                } else {
                  if (data1.length < 1) {
                    validate22.errors = [{ instancePath: instancePath + "/trades", schemaPath: "#/properties/trades/minItems", keyword: "minItems", params: { limit: 1 }, message: "must NOT have fewer than 1 items" }];
                    return false;
                  }
                }
              } else {
                validate22.errors = [{ instancePath: instancePath + "/trades", schemaPath: "#/properties/trades/type", keyword: "type", params: { type: "array" }, message: "must be array" }];
                return false;
              }
            }
            var valid0 = _errs5 === errors;
          } else {
            var valid0 = true;
          }
        }
      }
    } else {
      validate22.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate22.errors = vErrors;
  return errors === 0;
}
validate22.evaluated = { "props": { "wallet": true, "trades": true }, "dynamicProps": false, "dynamicItems": false };
var isBatchTrade = validate23;
function validate23(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  ;
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate23.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.asset === void 0 && (missing0 = "asset") || data.action === void 0 && (missing0 = "action") || data.size === void 0 && (missing0 = "size")) {
        validate23.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.asset !== void 0) {
          const _errs2 = errors;
          if (typeof data.asset !== "string") {
            validate23.errors = [{ instancePath: instancePath + "/asset", schemaPath: "units.schema.json#/$defs/ticker/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
            return false;
          }
          var valid0 = _errs2 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.action !== void 0) {
            let data1 = data.action;
            const _errs6 = errors;
            if (typeof data1 !== "string") {
              validate23.errors = [{ instancePath: instancePath + "/action", schemaPath: "units.schema.json#/$defs/action/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
            if (!(data1 === "long" || data1 === "short" || data1 === "close")) {
              validate23.errors = [{ instancePath: instancePath + "/action", schemaPath: "units.schema.json#/$defs/action/enum", keyword: "enum", params: { allowedValues: schema34.enum }, message: "must be equal to one of the allowed values" }];
              return false;
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.size !== void 0) {
              let data2 = data.size;
              const _errs10 = errors;
              const _errs12 = errors;
              if (errors === _errs12) {
                if (typeof data2 == "number" && isFinite(data2)) {
                  if (data2 > 1e8 || isNaN(data2)) {
                    validate23.errors = [{ instancePath: instancePath + "/size", schemaPath: "units.schema.json#/$defs/trade_size/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e8 }, message: "must be <= 100000000" }];
                    return false;
                  } else {
                    if (data2 <= 0 || isNaN(data2)) {
                      validate23.errors = [{ instancePath: instancePath + "/size", schemaPath: "units.schema.json#/$defs/trade_size/exclusiveMinimum", keyword: "exclusiveMinimum", params: { comparison: ">", limit: 0 }, message: "must be > 0" }];
                      return false;
                    }
                  }
                } else {
                  validate23.errors = [{ instancePath: instancePath + "/size", schemaPath: "units.schema.json#/$defs/trade_size/type", keyword: "type", params: { type: "number" }, message: "must be number" }];
                  return false;
                }
              }
              var valid0 = _errs10 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.leverage !== void 0) {
                let data3 = data.leverage;
                const _errs14 = errors;
                const _errs15 = errors;
                let valid7 = false;
                const _errs16 = errors;
                if (!(typeof data3 == "number" && isFinite(data3))) {
                  const err0 = { instancePath: instancePath + "/leverage", schemaPath: "#/properties/leverage/anyOf/0/type", keyword: "type", params: { type: "number" }, message: "must be number" };
                  if (vErrors === null) {
                    vErrors = [err0];
                  } else {
                    vErrors.push(err0);
                  }
                  errors++;
                }
                var _valid0 = _errs16 === errors;
                valid7 = valid7 || _valid0;
                const _errs18 = errors;
                if (data3 !== null) {
                  const err1 = { instancePath: instancePath + "/leverage", schemaPath: "#/properties/leverage/anyOf/1/type", keyword: "type", params: { type: "null" }, message: "must be null" };
                  if (vErrors === null) {
                    vErrors = [err1];
                  } else {
                    vErrors.push(err1);
                  }
                  errors++;
                }
                var _valid0 = _errs18 === errors;
                valid7 = valid7 || _valid0;
                if (!valid7) {
                  const err2 = { instancePath: instancePath + "/leverage", schemaPath: "#/properties/leverage/anyOf", keyword: "anyOf", params: {}, message: "must match a schema in anyOf" };
                  if (vErrors === null) {
                    vErrors = [err2];
                  } else {
                    vErrors.push(err2);
                  }
                  errors++;
                  validate23.errors = vErrors;
                  return false;
                } else {
                  errors = _errs15;
                  if (vErrors !== null) {
                    if (_errs15) {
                      vErrors.length = _errs15;
                    } else {
                      vErrors = null;
                    }
                  }
                }
                var valid0 = _errs14 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.mode !== void 0) {
                  let data4 = data.mode;
                  const _errs20 = errors;
                  const _errs21 = errors;
                  let valid8 = false;
                  const _errs22 = errors;
                  if (typeof data4 !== "string") {
                    const err3 = { instancePath: instancePath + "/mode", schemaPath: "units.schema.json#/$defs/margin_mode/type", keyword: "type", params: { type: "string" }, message: "must be string" };
                    if (vErrors === null) {
                      vErrors = [err3];
                    } else {
                      vErrors.push(err3);
                    }
                    errors++;
                  }
                  if (!(data4 === "cross" || data4 === "isolated")) {
                    const err4 = { instancePath: instancePath + "/mode", schemaPath: "units.schema.json#/$defs/margin_mode/enum", keyword: "enum", params: { allowedValues: schema37.enum }, message: "must be equal to one of the allowed values" };
                    if (vErrors === null) {
                      vErrors = [err4];
                    } else {
                      vErrors.push(err4);
                    }
                    errors++;
                  }
                  var _valid1 = _errs22 === errors;
                  valid8 = valid8 || _valid1;
                  const _errs25 = errors;
                  if (data4 !== null) {
                    const err5 = { instancePath: instancePath + "/mode", schemaPath: "#/properties/mode/anyOf/1/type", keyword: "type", params: { type: "null" }, message: "must be null" };
                    if (vErrors === null) {
                      vErrors = [err5];
                    } else {
                      vErrors.push(err5);
                    }
                    errors++;
                  }
                  var _valid1 = _errs25 === errors;
                  valid8 = valid8 || _valid1;
                  if (!valid8) {
                    const err6 = { instancePath: instancePath + "/mode", schemaPath: "#/properties/mode/anyOf", keyword: "anyOf", params: {}, message: "must match a schema in anyOf" };
                    if (vErrors === null) {
                      vErrors = [err6];
                    } else {
                      vErrors.push(err6);
                    }
                    errors++;
                    validate23.errors = vErrors;
                    return false;
                  } else {
                    errors = _errs21;
                    if (vErrors !== null) {
                      if (_errs21) {
                        vErrors.length = _errs21;
                      } else {
                        vErrors = null;
                      }
                    }
                  }
                  var valid0 = _errs20 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.monte_carlo !== void 0) {
                    let data5 = data.monte_carlo;
                    const _errs27 = errors;
                    const _errs28 = errors;
                    let valid10 = false;
                    const _errs29 = errors;
                    if (typeof data5 !== "boolean") {
                      const err7 = { instancePath: instancePath + "/monte_carlo", schemaPath: "#/properties/monte_carlo/anyOf/0/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean" };
                      if (vErrors === null) {
                        vErrors = [err7];
                      } else {
                        vErrors.push(err7);
                      }
                      errors++;
                    }
                    var _valid2 = _errs29 === errors;
                    valid10 = valid10 || _valid2;
                    const _errs31 = errors;
                    if (data5 !== null) {
                      const err8 = { instancePath: instancePath + "/monte_carlo", schemaPath: "#/properties/monte_carlo/anyOf/1/type", keyword: "type", params: { type: "null" }, message: "must be null" };
                      if (vErrors === null) {
                        vErrors = [err8];
                      } else {
                        vErrors.push(err8);
                      }
                      errors++;
                    }
                    var _valid2 = _errs31 === errors;
                    valid10 = valid10 || _valid2;
                    if (!valid10) {
                      const err9 = { instancePath: instancePath + "/monte_carlo", schemaPath: "#/properties/monte_carlo/anyOf", keyword: "anyOf", params: {}, message: "must match a schema in anyOf" };
                      if (vErrors === null) {
                        vErrors = [err9];
                      } else {
                        vErrors.push(err9);
                      }
                      errors++;
                      validate23.errors = vErrors;
                      return false;
                    } else {
                      errors = _errs28;
                      if (vErrors !== null) {
                        if (_errs28) {
                          vErrors.length = _errs28;
                        } else {
                          vErrors = null;
                        }
                      }
                    }
                    var valid0 = _errs27 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.explain !== void 0) {
                      let data6 = data.explain;
                      const _errs33 = errors;
                      const _errs34 = errors;
                      let valid11 = false;
                      const _errs35 = errors;
                      if (typeof data6 !== "boolean") {
                        const err10 = { instancePath: instancePath + "/explain", schemaPath: "#/properties/explain/anyOf/0/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean" };
                        if (vErrors === null) {
                          vErrors = [err10];
                        } else {
                          vErrors.push(err10);
                        }
                        errors++;
                      }
                      var _valid3 = _errs35 === errors;
                      valid11 = valid11 || _valid3;
                      const _errs37 = errors;
                      if (data6 !== null) {
                        const err11 = { instancePath: instancePath + "/explain", schemaPath: "#/properties/explain/anyOf/1/type", keyword: "type", params: { type: "null" }, message: "must be null" };
                        if (vErrors === null) {
                          vErrors = [err11];
                        } else {
                          vErrors.push(err11);
                        }
                        errors++;
                      }
                      var _valid3 = _errs37 === errors;
                      valid11 = valid11 || _valid3;
                      if (!valid11) {
                        const err12 = { instancePath: instancePath + "/explain", schemaPath: "#/properties/explain/anyOf", keyword: "anyOf", params: {}, message: "must match a schema in anyOf" };
                        if (vErrors === null) {
                          vErrors = [err12];
                        } else {
                          vErrors.push(err12);
                        }
                        errors++;
                        validate23.errors = vErrors;
                        return false;
                      } else {
                        errors = _errs34;
                        if (vErrors !== null) {
                          if (_errs34) {
                            vErrors.length = _errs34;
                          } else {
                            vErrors = null;
                          }
                        }
                      }
                      var valid0 = _errs33 === errors;
                    } else {
                      var valid0 = true;
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate23.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate23.errors = vErrors;
  return errors === 0;
}
validate23.evaluated = { "props": { "asset": true, "action": true, "size": true, "leverage": true, "mode": true, "monte_carlo": true, "explain": true }, "dynamicProps": false, "dynamicItems": false };
var isOutcomeRequest = validate24;
var pattern6 = new RegExp("^[^\\x00-\\x1f\\x7f-\\x9f]{1,256}$", "u");
var pattern7 = new RegExp("^[^\\x00-\\x1f\\x7f-\\x9f]{1,128}$", "u");
function validate24(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  ;
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate24.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.trade_id === void 0 && (missing0 = "trade_id") || data.asset === void 0 && (missing0 = "asset") || data.action === void 0 && (missing0 = "action") || data.entry_price === void 0 && (missing0 = "entry_price") || data.exit_price === void 0 && (missing0 = "exit_price") || data.size === void 0 && (missing0 = "size") || data.leverage === void 0 && (missing0 = "leverage") || data.risk_score_at_entry === void 0 && (missing0 = "risk_score_at_entry") || data.calibration_hash === void 0 && (missing0 = "calibration_hash") || data.pnl_usd === void 0 && (missing0 = "pnl_usd") || data.pnl_pct === void 0 && (missing0 = "pnl_pct") || data.holding_period_hours === void 0 && (missing0 = "holding_period_hours")) {
        validate24.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.trade_id !== void 0) {
          let data0 = data.trade_id;
          const _errs2 = errors;
          if (errors === _errs2) {
            if (typeof data0 === "string") {
              if (!pattern6.test(data0)) {
                validate24.errors = [{ instancePath: instancePath + "/trade_id", schemaPath: "#/properties/trade_id/pattern", keyword: "pattern", params: { pattern: "^[^\\x00-\\x1f\\x7f-\\x9f]{1,256}$" }, message: 'must match pattern "^[^\\x00-\\x1f\\x7f-\\x9f]{1,256}$"' }];
                return false;
              }
            } else {
              validate24.errors = [{ instancePath: instancePath + "/trade_id", schemaPath: "#/properties/trade_id/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
          }
          var valid0 = _errs2 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.asset !== void 0) {
            const _errs4 = errors;
            if (typeof data.asset !== "string") {
              validate24.errors = [{ instancePath: instancePath + "/asset", schemaPath: "units.schema.json#/$defs/ticker/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
            var valid0 = _errs4 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.action !== void 0) {
              let data2 = data.action;
              const _errs8 = errors;
              if (typeof data2 !== "string") {
                validate24.errors = [{ instancePath: instancePath + "/action", schemaPath: "units.schema.json#/$defs/action/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
              if (!(data2 === "long" || data2 === "short" || data2 === "close")) {
                validate24.errors = [{ instancePath: instancePath + "/action", schemaPath: "units.schema.json#/$defs/action/enum", keyword: "enum", params: { allowedValues: schema34.enum }, message: "must be equal to one of the allowed values" }];
                return false;
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.entry_price !== void 0) {
                let data3 = data.entry_price;
                const _errs12 = errors;
                if (errors === _errs12) {
                  if (typeof data3 == "number" && isFinite(data3)) {
                    if (data3 > 1e15 || isNaN(data3)) {
                      validate24.errors = [{ instancePath: instancePath + "/entry_price", schemaPath: "#/properties/entry_price/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e15 }, message: "must be <= 1000000000000000" }];
                      return false;
                    } else {
                      if (data3 <= 0 || isNaN(data3)) {
                        validate24.errors = [{ instancePath: instancePath + "/entry_price", schemaPath: "#/properties/entry_price/exclusiveMinimum", keyword: "exclusiveMinimum", params: { comparison: ">", limit: 0 }, message: "must be > 0" }];
                        return false;
                      }
                    }
                  } else {
                    validate24.errors = [{ instancePath: instancePath + "/entry_price", schemaPath: "#/properties/entry_price/type", keyword: "type", params: { type: "number" }, message: "must be number" }];
                    return false;
                  }
                }
                var valid0 = _errs12 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.exit_price !== void 0) {
                  let data4 = data.exit_price;
                  const _errs14 = errors;
                  if (errors === _errs14) {
                    if (typeof data4 == "number" && isFinite(data4)) {
                      if (data4 > 1e15 || isNaN(data4)) {
                        validate24.errors = [{ instancePath: instancePath + "/exit_price", schemaPath: "#/properties/exit_price/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e15 }, message: "must be <= 1000000000000000" }];
                        return false;
                      } else {
                        if (data4 <= 0 || isNaN(data4)) {
                          validate24.errors = [{ instancePath: instancePath + "/exit_price", schemaPath: "#/properties/exit_price/exclusiveMinimum", keyword: "exclusiveMinimum", params: { comparison: ">", limit: 0 }, message: "must be > 0" }];
                          return false;
                        }
                      }
                    } else {
                      validate24.errors = [{ instancePath: instancePath + "/exit_price", schemaPath: "#/properties/exit_price/type", keyword: "type", params: { type: "number" }, message: "must be number" }];
                      return false;
                    }
                  }
                  var valid0 = _errs14 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.size !== void 0) {
                    let data5 = data.size;
                    const _errs16 = errors;
                    if (errors === _errs16) {
                      if (typeof data5 == "number" && isFinite(data5)) {
                        if (data5 > 1e15 || isNaN(data5)) {
                          validate24.errors = [{ instancePath: instancePath + "/size", schemaPath: "#/properties/size/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e15 }, message: "must be <= 1000000000000000" }];
                          return false;
                        } else {
                          if (data5 <= 0 || isNaN(data5)) {
                            validate24.errors = [{ instancePath: instancePath + "/size", schemaPath: "#/properties/size/exclusiveMinimum", keyword: "exclusiveMinimum", params: { comparison: ">", limit: 0 }, message: "must be > 0" }];
                            return false;
                          }
                        }
                      } else {
                        validate24.errors = [{ instancePath: instancePath + "/size", schemaPath: "#/properties/size/type", keyword: "type", params: { type: "number" }, message: "must be number" }];
                        return false;
                      }
                    }
                    var valid0 = _errs16 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.leverage !== void 0) {
                      let data6 = data.leverage;
                      const _errs18 = errors;
                      if (errors === _errs18) {
                        if (typeof data6 == "number" && isFinite(data6)) {
                          if (data6 > 1e15 || isNaN(data6)) {
                            validate24.errors = [{ instancePath: instancePath + "/leverage", schemaPath: "#/properties/leverage/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e15 }, message: "must be <= 1000000000000000" }];
                            return false;
                          } else {
                            if (data6 <= 0 || isNaN(data6)) {
                              validate24.errors = [{ instancePath: instancePath + "/leverage", schemaPath: "#/properties/leverage/exclusiveMinimum", keyword: "exclusiveMinimum", params: { comparison: ">", limit: 0 }, message: "must be > 0" }];
                              return false;
                            }
                          }
                        } else {
                          validate24.errors = [{ instancePath: instancePath + "/leverage", schemaPath: "#/properties/leverage/type", keyword: "type", params: { type: "number" }, message: "must be number" }];
                          return false;
                        }
                      }
                      var valid0 = _errs18 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.risk_score_at_entry !== void 0) {
                        let data7 = data.risk_score_at_entry;
                        const _errs20 = errors;
                        const _errs22 = errors;
                        if (errors === _errs22) {
                          if (typeof data7 == "number" && isFinite(data7)) {
                            if (data7 > 100 || isNaN(data7)) {
                              validate24.errors = [{ instancePath: instancePath + "/risk_score_at_entry", schemaPath: "units.schema.json#/$defs/score/maximum", keyword: "maximum", params: { comparison: "<=", limit: 100 }, message: "must be <= 100" }];
                              return false;
                            } else {
                              if (data7 < 0 || isNaN(data7)) {
                                validate24.errors = [{ instancePath: instancePath + "/risk_score_at_entry", schemaPath: "units.schema.json#/$defs/score/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                                return false;
                              }
                            }
                          } else {
                            validate24.errors = [{ instancePath: instancePath + "/risk_score_at_entry", schemaPath: "units.schema.json#/$defs/score/type", keyword: "type", params: { type: "number" }, message: "must be number" }];
                            return false;
                          }
                        }
                        var valid0 = _errs20 === errors;
                      } else {
                        var valid0 = true;
                      }
                      if (valid0) {
                        if (data.calibration_hash !== void 0) {
                          let data8 = data.calibration_hash;
                          const _errs24 = errors;
                          if (errors === _errs24) {
                            if (typeof data8 === "string") {
                              if (!pattern7.test(data8)) {
                                validate24.errors = [{ instancePath: instancePath + "/calibration_hash", schemaPath: "#/properties/calibration_hash/pattern", keyword: "pattern", params: { pattern: "^[^\\x00-\\x1f\\x7f-\\x9f]{1,128}$" }, message: 'must match pattern "^[^\\x00-\\x1f\\x7f-\\x9f]{1,128}$"' }];
                                return false;
                              }
                            } else {
                              validate24.errors = [{ instancePath: instancePath + "/calibration_hash", schemaPath: "#/properties/calibration_hash/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                              return false;
                            }
                          }
                          var valid0 = _errs24 === errors;
                        } else {
                          var valid0 = true;
                        }
                        if (valid0) {
                          if (data.pnl_usd !== void 0) {
                            let data9 = data.pnl_usd;
                            const _errs26 = errors;
                            if (errors === _errs26) {
                              if (typeof data9 == "number" && isFinite(data9)) {
                                if (data9 > 1e15 || isNaN(data9)) {
                                  validate24.errors = [{ instancePath: instancePath + "/pnl_usd", schemaPath: "#/properties/pnl_usd/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e15 }, message: "must be <= 1000000000000000" }];
                                  return false;
                                } else {
                                  if (data9 < -1e15 || isNaN(data9)) {
                                    validate24.errors = [{ instancePath: instancePath + "/pnl_usd", schemaPath: "#/properties/pnl_usd/minimum", keyword: "minimum", params: { comparison: ">=", limit: -1e15 }, message: "must be >= -1000000000000000" }];
                                    return false;
                                  }
                                }
                              } else {
                                validate24.errors = [{ instancePath: instancePath + "/pnl_usd", schemaPath: "#/properties/pnl_usd/type", keyword: "type", params: { type: "number" }, message: "must be number" }];
                                return false;
                              }
                            }
                            var valid0 = _errs26 === errors;
                          } else {
                            var valid0 = true;
                          }
                          if (valid0) {
                            if (data.pnl_pct !== void 0) {
                              let data10 = data.pnl_pct;
                              const _errs28 = errors;
                              if (errors === _errs28) {
                                if (typeof data10 == "number" && isFinite(data10)) {
                                  if (data10 > 1e15 || isNaN(data10)) {
                                    validate24.errors = [{ instancePath: instancePath + "/pnl_pct", schemaPath: "#/properties/pnl_pct/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e15 }, message: "must be <= 1000000000000000" }];
                                    return false;
                                  } else {
                                    if (data10 < -1e15 || isNaN(data10)) {
                                      validate24.errors = [{ instancePath: instancePath + "/pnl_pct", schemaPath: "#/properties/pnl_pct/minimum", keyword: "minimum", params: { comparison: ">=", limit: -1e15 }, message: "must be >= -1000000000000000" }];
                                      return false;
                                    }
                                  }
                                } else {
                                  validate24.errors = [{ instancePath: instancePath + "/pnl_pct", schemaPath: "#/properties/pnl_pct/type", keyword: "type", params: { type: "number" }, message: "must be number" }];
                                  return false;
                                }
                              }
                              var valid0 = _errs28 === errors;
                            } else {
                              var valid0 = true;
                            }
                            if (valid0) {
                              if (data.holding_period_hours !== void 0) {
                                let data11 = data.holding_period_hours;
                                const _errs30 = errors;
                                if (errors === _errs30) {
                                  if (typeof data11 == "number" && isFinite(data11)) {
                                    if (data11 > 1e15 || isNaN(data11)) {
                                      validate24.errors = [{ instancePath: instancePath + "/holding_period_hours", schemaPath: "#/properties/holding_period_hours/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e15 }, message: "must be <= 1000000000000000" }];
                                      return false;
                                    } else {
                                      if (data11 < 0 || isNaN(data11)) {
                                        validate24.errors = [{ instancePath: instancePath + "/holding_period_hours", schemaPath: "#/properties/holding_period_hours/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                                        return false;
                                      }
                                    }
                                  } else {
                                    validate24.errors = [{ instancePath: instancePath + "/holding_period_hours", schemaPath: "#/properties/holding_period_hours/type", keyword: "type", params: { type: "number" }, message: "must be number" }];
                                    return false;
                                  }
                                }
                                var valid0 = _errs30 === errors;
                              } else {
                                var valid0 = true;
                              }
                              if (valid0) {
                                if (data.fees_paid_usd !== void 0) {
                                  let data12 = data.fees_paid_usd;
                                  const _errs32 = errors;
                                  const _errs33 = errors;
                                  let valid7 = false;
                                  const _errs34 = errors;
                                  if (errors === _errs34) {
                                    if (typeof data12 == "number" && isFinite(data12)) {
                                      if (data12 > 1e15 || isNaN(data12)) {
                                        const err0 = { instancePath: instancePath + "/fees_paid_usd", schemaPath: "#/properties/fees_paid_usd/anyOf/0/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e15 }, message: "must be <= 1000000000000000" };
                                        if (vErrors === null) {
                                          vErrors = [err0];
                                        } else {
                                          vErrors.push(err0);
                                        }
                                        errors++;
                                      } else {
                                        if (data12 < -1e15 || isNaN(data12)) {
                                          const err1 = { instancePath: instancePath + "/fees_paid_usd", schemaPath: "#/properties/fees_paid_usd/anyOf/0/minimum", keyword: "minimum", params: { comparison: ">=", limit: -1e15 }, message: "must be >= -1000000000000000" };
                                          if (vErrors === null) {
                                            vErrors = [err1];
                                          } else {
                                            vErrors.push(err1);
                                          }
                                          errors++;
                                        }
                                      }
                                    } else {
                                      const err2 = { instancePath: instancePath + "/fees_paid_usd", schemaPath: "#/properties/fees_paid_usd/anyOf/0/type", keyword: "type", params: { type: "number" }, message: "must be number" };
                                      if (vErrors === null) {
                                        vErrors = [err2];
                                      } else {
                                        vErrors.push(err2);
                                      }
                                      errors++;
                                    }
                                  }
                                  var _valid0 = _errs34 === errors;
                                  valid7 = valid7 || _valid0;
                                  const _errs36 = errors;
                                  if (data12 !== null) {
                                    const err3 = { instancePath: instancePath + "/fees_paid_usd", schemaPath: "#/properties/fees_paid_usd/anyOf/1/type", keyword: "type", params: { type: "null" }, message: "must be null" };
                                    if (vErrors === null) {
                                      vErrors = [err3];
                                    } else {
                                      vErrors.push(err3);
                                    }
                                    errors++;
                                  }
                                  var _valid0 = _errs36 === errors;
                                  valid7 = valid7 || _valid0;
                                  if (!valid7) {
                                    const err4 = { instancePath: instancePath + "/fees_paid_usd", schemaPath: "#/properties/fees_paid_usd/anyOf", keyword: "anyOf", params: {}, message: "must match a schema in anyOf" };
                                    if (vErrors === null) {
                                      vErrors = [err4];
                                    } else {
                                      vErrors.push(err4);
                                    }
                                    errors++;
                                    validate24.errors = vErrors;
                                    return false;
                                  } else {
                                    errors = _errs33;
                                    if (vErrors !== null) {
                                      if (_errs33) {
                                        vErrors.length = _errs33;
                                      } else {
                                        vErrors = null;
                                      }
                                    }
                                  }
                                  var valid0 = _errs32 === errors;
                                } else {
                                  var valid0 = true;
                                }
                                if (valid0) {
                                  if (data.funding_paid_usd !== void 0) {
                                    let data13 = data.funding_paid_usd;
                                    const _errs38 = errors;
                                    const _errs39 = errors;
                                    let valid8 = false;
                                    const _errs40 = errors;
                                    if (errors === _errs40) {
                                      if (typeof data13 == "number" && isFinite(data13)) {
                                        if (data13 > 1e15 || isNaN(data13)) {
                                          const err5 = { instancePath: instancePath + "/funding_paid_usd", schemaPath: "#/properties/funding_paid_usd/anyOf/0/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e15 }, message: "must be <= 1000000000000000" };
                                          if (vErrors === null) {
                                            vErrors = [err5];
                                          } else {
                                            vErrors.push(err5);
                                          }
                                          errors++;
                                        } else {
                                          if (data13 < -1e15 || isNaN(data13)) {
                                            const err6 = { instancePath: instancePath + "/funding_paid_usd", schemaPath: "#/properties/funding_paid_usd/anyOf/0/minimum", keyword: "minimum", params: { comparison: ">=", limit: -1e15 }, message: "must be >= -1000000000000000" };
                                            if (vErrors === null) {
                                              vErrors = [err6];
                                            } else {
                                              vErrors.push(err6);
                                            }
                                            errors++;
                                          }
                                        }
                                      } else {
                                        const err7 = { instancePath: instancePath + "/funding_paid_usd", schemaPath: "#/properties/funding_paid_usd/anyOf/0/type", keyword: "type", params: { type: "number" }, message: "must be number" };
                                        if (vErrors === null) {
                                          vErrors = [err7];
                                        } else {
                                          vErrors.push(err7);
                                        }
                                        errors++;
                                      }
                                    }
                                    var _valid1 = _errs40 === errors;
                                    valid8 = valid8 || _valid1;
                                    const _errs42 = errors;
                                    if (data13 !== null) {
                                      const err8 = { instancePath: instancePath + "/funding_paid_usd", schemaPath: "#/properties/funding_paid_usd/anyOf/1/type", keyword: "type", params: { type: "null" }, message: "must be null" };
                                      if (vErrors === null) {
                                        vErrors = [err8];
                                      } else {
                                        vErrors.push(err8);
                                      }
                                      errors++;
                                    }
                                    var _valid1 = _errs42 === errors;
                                    valid8 = valid8 || _valid1;
                                    if (!valid8) {
                                      const err9 = { instancePath: instancePath + "/funding_paid_usd", schemaPath: "#/properties/funding_paid_usd/anyOf", keyword: "anyOf", params: {}, message: "must match a schema in anyOf" };
                                      if (vErrors === null) {
                                        vErrors = [err9];
                                      } else {
                                        vErrors.push(err9);
                                      }
                                      errors++;
                                      validate24.errors = vErrors;
                                      return false;
                                    } else {
                                      errors = _errs39;
                                      if (vErrors !== null) {
                                        if (_errs39) {
                                          vErrors.length = _errs39;
                                        } else {
                                          vErrors = null;
                                        }
                                      }
                                    }
                                    var valid0 = _errs38 === errors;
                                  } else {
                                    var valid0 = true;
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate24.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate24.errors = vErrors;
  return errors === 0;
}
validate24.evaluated = { "props": { "trade_id": true, "asset": true, "action": true, "entry_price": true, "exit_price": true, "size": true, "leverage": true, "risk_score_at_entry": true, "calibration_hash": true, "pnl_usd": true, "pnl_pct": true, "holding_period_hours": true, "fees_paid_usd": true, "funding_paid_usd": true }, "dynamicProps": false, "dynamicItems": false };
var isAlertConfig = validate25;
function validate25(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  ;
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate25.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.wallet === void 0 && (missing0 = "wallet")) {
        validate25.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.wallet !== void 0) {
          let data0 = data.wallet;
          const _errs2 = errors;
          const _errs4 = errors;
          if (errors === _errs4) {
            if (typeof data0 === "string") {
              if (!pattern4.test(data0)) {
                validate25.errors = [{ instancePath: instancePath + "/wallet", schemaPath: "units.schema.json#/$defs/wallet/pattern", keyword: "pattern", params: { pattern: "^0x[0-9a-fA-F]{40}$" }, message: 'must match pattern "^0x[0-9a-fA-F]{40}$"' }];
                return false;
              }
            } else {
              validate25.errors = [{ instancePath: instancePath + "/wallet", schemaPath: "units.schema.json#/$defs/wallet/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
          }
          var valid0 = _errs2 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.thresholds !== void 0) {
            let data1 = data.thresholds;
            const _errs6 = errors;
            const _errs7 = errors;
            let valid3 = false;
            const _errs8 = errors;
            if (errors === _errs8) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                const _errs10 = errors;
                for (const key0 in data1) {
                  if (!(key0 === "max_risk_score" || key0 === "min_liquidation_distance_pct" || key0 === "max_portfolio_var_pct" || key0 === "max_funding_drag_daily_pct")) {
                    const err0 = { instancePath: instancePath + "/thresholds", schemaPath: "#/properties/thresholds/anyOf/0/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" };
                    if (vErrors === null) {
                      vErrors = [err0];
                    } else {
                      vErrors.push(err0);
                    }
                    errors++;
                    break;
                  }
                }
                if (_errs10 === errors) {
                  if (data1.max_risk_score !== void 0) {
                    let data2 = data1.max_risk_score;
                    const _errs11 = errors;
                    const _errs12 = errors;
                    let valid5 = false;
                    const _errs13 = errors;
                    if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)) && isFinite(data2))) {
                      const err1 = { instancePath: instancePath + "/thresholds/max_risk_score", schemaPath: "#/properties/thresholds/anyOf/0/properties/max_risk_score/anyOf/0/type", keyword: "type", params: { type: "integer" }, message: "must be integer" };
                      if (vErrors === null) {
                        vErrors = [err1];
                      } else {
                        vErrors.push(err1);
                      }
                      errors++;
                    }
                    if (errors === _errs13) {
                      if (typeof data2 == "number" && isFinite(data2)) {
                        if (data2 > 255 || isNaN(data2)) {
                          const err2 = { instancePath: instancePath + "/thresholds/max_risk_score", schemaPath: "#/properties/thresholds/anyOf/0/properties/max_risk_score/anyOf/0/maximum", keyword: "maximum", params: { comparison: "<=", limit: 255 }, message: "must be <= 255" };
                          if (vErrors === null) {
                            vErrors = [err2];
                          } else {
                            vErrors.push(err2);
                          }
                          errors++;
                        } else {
                          if (data2 < 0 || isNaN(data2)) {
                            const err3 = { instancePath: instancePath + "/thresholds/max_risk_score", schemaPath: "#/properties/thresholds/anyOf/0/properties/max_risk_score/anyOf/0/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" };
                            if (vErrors === null) {
                              vErrors = [err3];
                            } else {
                              vErrors.push(err3);
                            }
                            errors++;
                          }
                        }
                      }
                    }
                    var _valid1 = _errs13 === errors;
                    valid5 = valid5 || _valid1;
                    const _errs15 = errors;
                    if (data2 !== null) {
                      const err4 = { instancePath: instancePath + "/thresholds/max_risk_score", schemaPath: "#/properties/thresholds/anyOf/0/properties/max_risk_score/anyOf/1/type", keyword: "type", params: { type: "null" }, message: "must be null" };
                      if (vErrors === null) {
                        vErrors = [err4];
                      } else {
                        vErrors.push(err4);
                      }
                      errors++;
                    }
                    var _valid1 = _errs15 === errors;
                    valid5 = valid5 || _valid1;
                    if (!valid5) {
                      const err5 = { instancePath: instancePath + "/thresholds/max_risk_score", schemaPath: "#/properties/thresholds/anyOf/0/properties/max_risk_score/anyOf", keyword: "anyOf", params: {}, message: "must match a schema in anyOf" };
                      if (vErrors === null) {
                        vErrors = [err5];
                      } else {
                        vErrors.push(err5);
                      }
                      errors++;
                    } else {
                      errors = _errs12;
                      if (vErrors !== null) {
                        if (_errs12) {
                          vErrors.length = _errs12;
                        } else {
                          vErrors = null;
                        }
                      }
                    }
                    var valid4 = _errs11 === errors;
                  } else {
                    var valid4 = true;
                  }
                  if (valid4) {
                    if (data1.min_liquidation_distance_pct !== void 0) {
                      let data3 = data1.min_liquidation_distance_pct;
                      const _errs17 = errors;
                      const _errs18 = errors;
                      let valid6 = false;
                      const _errs19 = errors;
                      if (!(typeof data3 == "number" && isFinite(data3))) {
                        const err6 = { instancePath: instancePath + "/thresholds/min_liquidation_distance_pct", schemaPath: "#/properties/thresholds/anyOf/0/properties/min_liquidation_distance_pct/anyOf/0/type", keyword: "type", params: { type: "number" }, message: "must be number" };
                        if (vErrors === null) {
                          vErrors = [err6];
                        } else {
                          vErrors.push(err6);
                        }
                        errors++;
                      }
                      var _valid2 = _errs19 === errors;
                      valid6 = valid6 || _valid2;
                      const _errs21 = errors;
                      if (data3 !== null) {
                        const err7 = { instancePath: instancePath + "/thresholds/min_liquidation_distance_pct", schemaPath: "#/properties/thresholds/anyOf/0/properties/min_liquidation_distance_pct/anyOf/1/type", keyword: "type", params: { type: "null" }, message: "must be null" };
                        if (vErrors === null) {
                          vErrors = [err7];
                        } else {
                          vErrors.push(err7);
                        }
                        errors++;
                      }
                      var _valid2 = _errs21 === errors;
                      valid6 = valid6 || _valid2;
                      if (!valid6) {
                        const err8 = { instancePath: instancePath + "/thresholds/min_liquidation_distance_pct", schemaPath: "#/properties/thresholds/anyOf/0/properties/min_liquidation_distance_pct/anyOf", keyword: "anyOf", params: {}, message: "must match a schema in anyOf" };
                        if (vErrors === null) {
                          vErrors = [err8];
                        } else {
                          vErrors.push(err8);
                        }
                        errors++;
                      } else {
                        errors = _errs18;
                        if (vErrors !== null) {
                          if (_errs18) {
                            vErrors.length = _errs18;
                          } else {
                            vErrors = null;
                          }
                        }
                      }
                      var valid4 = _errs17 === errors;
                    } else {
                      var valid4 = true;
                    }
                    if (valid4) {
                      if (data1.max_portfolio_var_pct !== void 0) {
                        let data4 = data1.max_portfolio_var_pct;
                        const _errs23 = errors;
                        const _errs24 = errors;
                        let valid7 = false;
                        const _errs25 = errors;
                        if (!(typeof data4 == "number" && isFinite(data4))) {
                          const err9 = { instancePath: instancePath + "/thresholds/max_portfolio_var_pct", schemaPath: "#/properties/thresholds/anyOf/0/properties/max_portfolio_var_pct/anyOf/0/type", keyword: "type", params: { type: "number" }, message: "must be number" };
                          if (vErrors === null) {
                            vErrors = [err9];
                          } else {
                            vErrors.push(err9);
                          }
                          errors++;
                        }
                        var _valid3 = _errs25 === errors;
                        valid7 = valid7 || _valid3;
                        const _errs27 = errors;
                        if (data4 !== null) {
                          const err10 = { instancePath: instancePath + "/thresholds/max_portfolio_var_pct", schemaPath: "#/properties/thresholds/anyOf/0/properties/max_portfolio_var_pct/anyOf/1/type", keyword: "type", params: { type: "null" }, message: "must be null" };
                          if (vErrors === null) {
                            vErrors = [err10];
                          } else {
                            vErrors.push(err10);
                          }
                          errors++;
                        }
                        var _valid3 = _errs27 === errors;
                        valid7 = valid7 || _valid3;
                        if (!valid7) {
                          const err11 = { instancePath: instancePath + "/thresholds/max_portfolio_var_pct", schemaPath: "#/properties/thresholds/anyOf/0/properties/max_portfolio_var_pct/anyOf", keyword: "anyOf", params: {}, message: "must match a schema in anyOf" };
                          if (vErrors === null) {
                            vErrors = [err11];
                          } else {
                            vErrors.push(err11);
                          }
                          errors++;
                        } else {
                          errors = _errs24;
                          if (vErrors !== null) {
                            if (_errs24) {
                              vErrors.length = _errs24;
                            } else {
                              vErrors = null;
                            }
                          }
                        }
                        var valid4 = _errs23 === errors;
                      } else {
                        var valid4 = true;
                      }
                      if (valid4) {
                        if (data1.max_funding_drag_daily_pct !== void 0) {
                          let data5 = data1.max_funding_drag_daily_pct;
                          const _errs29 = errors;
                          const _errs30 = errors;
                          let valid8 = false;
                          const _errs31 = errors;
                          if (!(typeof data5 == "number" && isFinite(data5))) {
                            const err12 = { instancePath: instancePath + "/thresholds/max_funding_drag_daily_pct", schemaPath: "#/properties/thresholds/anyOf/0/properties/max_funding_drag_daily_pct/anyOf/0/type", keyword: "type", params: { type: "number" }, message: "must be number" };
                            if (vErrors === null) {
                              vErrors = [err12];
                            } else {
                              vErrors.push(err12);
                            }
                            errors++;
                          }
                          var _valid4 = _errs31 === errors;
                          valid8 = valid8 || _valid4;
                          const _errs33 = errors;
                          if (data5 !== null) {
                            const err13 = { instancePath: instancePath + "/thresholds/max_funding_drag_daily_pct", schemaPath: "#/properties/thresholds/anyOf/0/properties/max_funding_drag_daily_pct/anyOf/1/type", keyword: "type", params: { type: "null" }, message: "must be null" };
                            if (vErrors === null) {
                              vErrors = [err13];
                            } else {
                              vErrors.push(err13);
                            }
                            errors++;
                          }
                          var _valid4 = _errs33 === errors;
                          valid8 = valid8 || _valid4;
                          if (!valid8) {
                            const err14 = { instancePath: instancePath + "/thresholds/max_funding_drag_daily_pct", schemaPath: "#/properties/thresholds/anyOf/0/properties/max_funding_drag_daily_pct/anyOf", keyword: "anyOf", params: {}, message: "must match a schema in anyOf" };
                            if (vErrors === null) {
                              vErrors = [err14];
                            } else {
                              vErrors.push(err14);
                            }
                            errors++;
                          } else {
                            errors = _errs30;
                            if (vErrors !== null) {
                              if (_errs30) {
                                vErrors.length = _errs30;
                              } else {
                                vErrors = null;
                              }
                            }
                          }
                          var valid4 = _errs29 === errors;
                        } else {
                          var valid4 = true;
                        }
                      }
                    }
                  }
                }
              } else {
                const err15 = { instancePath: instancePath + "/thresholds", schemaPath: "#/properties/thresholds/anyOf/0/type", keyword: "type", params: { type: "object" }, message: "must be object" };
                if (vErrors === null) {
                  vErrors = [err15];
                } else {
                  vErrors.push(err15);
                }
                errors++;
              }
            }
            var _valid0 = _errs8 === errors;
            valid3 = valid3 || _valid0;
            const _errs35 = errors;
            if (data1 !== null) {
              const err16 = { instancePath: instancePath + "/thresholds", schemaPath: "#/properties/thresholds/anyOf/1/type", keyword: "type", params: { type: "null" }, message: "must be null" };
              if (vErrors === null) {
                vErrors = [err16];
              } else {
                vErrors.push(err16);
              }
              errors++;
            }
            var _valid0 = _errs35 === errors;
            valid3 = valid3 || _valid0;
            if (!valid3) {
              const err17 = { instancePath: instancePath + "/thresholds", schemaPath: "#/properties/thresholds/anyOf", keyword: "anyOf", params: {}, message: "must match a schema in anyOf" };
              if (vErrors === null) {
                vErrors = [err17];
              } else {
                vErrors.push(err17);
              }
              errors++;
              validate25.errors = vErrors;
              return false;
            } else {
              errors = _errs7;
              if (vErrors !== null) {
                if (_errs7) {
                  vErrors.length = _errs7;
                } else {
                  vErrors = null;
                }
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
        }
      }
    } else {
      validate25.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate25.errors = vErrors;
  return errors === 0;
}
validate25.evaluated = { "props": { "wallet": true, "thresholds": true }, "dynamicProps": false, "dynamicItems": false };
export {
  isAlertConfig,
  isBatchEnvelope,
  isBatchTrade,
  isOutcomeRequest,
  isValidateRequest
};
